#include "formats/zip/zip_archive.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <libdeflate.h>
#include <memory>
#include <new>

#include "formats/files/refusal.hpp"

namespace kann::formats {
namespace {

using namespace std::string_view_literals;

// Sizes of the records, without what follows them.
constexpr std::size_t k_end = 22, k_locator = 20, k_end_64 = 56, k_entry = 46, k_local = 30;
constexpr std::size_t k_comment = 65535;
constexpr std::uint64_t k_in_64_bits_32 = 0xffffffff, k_in_64_bits_16 = 0xffff;  // see the ZIP64 record instead

/// Numbers of a record; ZIP is little-endian. The caller has checked that the record is there.
class Record {
 public:
  explicit Record(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::uint64_t u16(std::size_t offset) const { return at<std::uint16_t>(offset); }
  std::uint64_t u32(std::size_t offset) const { return at<std::uint32_t>(offset); }
  std::uint64_t u64(std::size_t offset) const { return at<std::uint64_t>(offset); }

 private:
  std::string_view bytes_;
};

bool is_record(ByteSource& bytes, std::uint64_t start, std::size_t size, std::string_view magic) {
  return start <= bytes.size() && bytes.size() - start >= size && bytes.at(start, size).starts_with(magic);
}

/// The offset of the last record, which ends the file with a comment.
std::uint64_t find_end(ByteSource& bytes, const std::string& file) {
  const std::string_view last = bytes.at(bytes.size() - std::min<std::uint64_t>(bytes.size(), k_end + k_comment),
                                         std::min<std::size_t>(bytes.size(), k_end + k_comment));
  for (std::size_t back = k_end; back <= last.size(); ++back) {
    const std::string_view end = last.substr(last.size() - back);
    if (end.starts_with("PK\5\6") && Record(end).u16(20) == back - k_end) return bytes.size() - back;
  }
  refuse(file, "no directory at the end of the archive: the file is cut off or no ZIP");
}

struct Directory {
  std::uint64_t entries, size, start;
};

Directory read_end(ByteSource& bytes, const std::string& file) {
  const std::uint64_t start = find_end(bytes, file);
  const Record end(bytes.at(start, k_end));
  if (end.u16(4) != end.u16(6) || end.u16(8) != end.u16(10)) refuse(file, "an archive on several disks is not read");
  Directory directory{end.u16(10), end.u32(12), end.u32(16)};
  const bool is_64 =
      directory.entries == k_in_64_bits_16 || directory.size == k_in_64_bits_32 || directory.start == k_in_64_bits_32;
  if (is_64 && start >= k_locator && is_record(bytes, start - k_locator, k_locator, "PK\6\7")) {
    const std::uint64_t place = Record(bytes.at(start - k_locator, k_locator)).u64(8);
    if (!is_record(bytes, place, k_end_64, "PK\6\6"))
      refuse_byte(file, start - k_locator, fmt::format("no ZIP64 record at byte {}", place));
    const Record end_64(bytes.at(place, k_end_64));
    directory = {end_64.u64(32), end_64.u64(40), end_64.u64(48)};
  }
  if (directory.start > start || directory.size > start - directory.start ||
      WideSize{directory.entries} * k_entry > directory.size)
    refuse(file, fmt::format("the directory of {} members does not fit the archive (got {} bytes at {}, file holds {})",
                             directory.entries, directory.size, directory.start, bytes.size()));
  return directory;
}

/// Takes from the extra fields of an entry the values that do not fit its fields of 32 bits.
void read_extra_64(std::string_view extra, ZipMember& member) {
  constexpr std::uint64_t zip64 = 1;
  while (extra.size() >= 4) {
    const std::uint64_t id = Record(extra).u16(0), size = Record(extra).u16(2);
    extra.remove_prefix(4);
    if (size > extra.size()) return;
    std::string_view field = extra.substr(0, size);
    extra.remove_prefix(size);
    if (id != zip64) continue;
    for (std::uint64_t* const value : {&member.size, &member.compressed, &member.local_header}) {
      if (*value != k_in_64_bits_32 || field.size() < 8) continue;
      *value = Record(field).u64(0);
      field.remove_prefix(8);
    }
  }
}

[[noreturn]] void refuse_member(const std::string& file, const ZipMember& member, const std::string& what) {
  refuse(file, fmt::format("member {} {}", quote(member.name), what));
}

void check_crc(const std::string& file, const ZipMember& member, std::uint32_t crc) {
  if (crc != member.crc)
    refuse_member(file, member, fmt::format("is damaged (its CRC-32 is {:08x}, need {:08x})", crc, member.crc));
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

}  // namespace

std::vector<ZipMember> zip_members(ByteSource& bytes, const std::string& file) {
  const Directory directory = read_end(bytes, file);
  std::vector<ZipMember> members;
  const std::string_view entries = bytes.at(directory.start, directory.size);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const std::string_view rest = entries.substr(at);
    if (rest.size() < k_entry || !rest.starts_with("PK\1\2"))
      refuse_byte(file, directory.start + at, fmt::format("no entry {} of {} in the directory", i, directory.entries));
    const Record entry(rest);
    const std::size_t name = entry.u16(28), extra = entry.u16(30), comment = entry.u16(32);
    if (rest.size() - k_entry < name + extra + comment)
      refuse_byte(file, directory.start + at, fmt::format("entry {} of the directory is cut off", i));
    ZipMember member;
    member.name = rest.substr(k_entry, name);
    member.flags = entry.at<std::uint16_t>(8);
    member.method = entry.at<std::uint16_t>(10);
    member.crc = entry.at<std::uint32_t>(16);
    member.compressed = entry.u32(20);
    member.size = entry.u32(24);
    member.local_header = entry.u32(42);
    read_extra_64(rest.substr(k_entry + name, extra), member);
    members.push_back(std::move(member));
    at += k_entry + name + extra + comment;
  }
  return members;
}

std::uint64_t stored_begin(ByteSource& bytes, const ZipMember& member, const std::string& file) {
  if (member.flags & 1) refuse_member(file, member, "is encrypted");
  if (member.method != 0 && member.method != 8)
    refuse_member(file, member,
                  fmt::format("is compressed by method {} (need 0, stored, or 8, deflate)", member.method));
  if (!is_record(bytes, member.local_header, k_local, "PK\3\4"))
    refuse_member(file, member, fmt::format("has no header at byte {}", member.local_header));
  const Record header(bytes.at(member.local_header, k_local));
  const std::uint64_t name_size = header.u16(26), skipped = name_size + header.u16(28);
  const std::uint64_t name = member.local_header + k_local, left = bytes.size() - name;
  if (skipped > left || bytes.at(name, name_size) != member.name)
    refuse_member(file, member, fmt::format("has another name in its own header, at byte {}", member.local_header));
  if (member.compressed > left - skipped)
    refuse_member(file, member,
                  fmt::format("needs {}, file holds {}", counted(member.compressed, "byte"), left - skipped));
  if (member.method == 0 && member.compressed != member.size)
    refuse_member(file, member,
                  fmt::format("is stored in {} and has {}", counted(member.compressed, "byte"), member.size));
  return name + skipped;
}

Array<char> decompressed_content(ByteSource& bytes, std::uint64_t begin, const ZipMember& member,
                                 const std::string& file) {
  const std::string_view compressed = bytes.at(begin, member.compressed);
  Array<char> content(member.size);
  const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> deflate(libdeflate_alloc_decompressor());
  if (!deflate) throw std::bad_alloc();
  std::size_t used = 0;
  const libdeflate_result result = libdeflate_deflate_decompress_ex(deflate.get(), compressed.data(), compressed.size(),
                                                                    content.data(), content.size(), &used, nullptr);
  if (result != LIBDEFLATE_SUCCESS || used != compressed.size())
    refuse_member(file, member, fmt::format("is no deflate of {}", counted(member.size, "byte")));
  check_crc(file, member, libdeflate_crc32(0, content.data(), content.size()));
  return content;
}

void check_stored_content(ByteSource& bytes, std::uint64_t begin, const ZipMember& member, const std::string& file) {
  constexpr std::uint64_t part = std::uint64_t{1} << 20;
  std::uint32_t crc = 0;
  for (std::uint64_t done = 0; done < member.size; done += part) {
    const std::string_view some = bytes.at(begin + done, std::min(part, member.size - done));
    crc = libdeflate_crc32(crc, some.data(), some.size());
  }
  check_crc(file, member, crc);
}

}  // namespace kann::formats
