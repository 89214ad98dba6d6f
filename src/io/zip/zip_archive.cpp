#include "io/zip/zip_archive.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <libdeflate.h>
#include <memory>
#include <new>

#include "io/files/refusal.hpp"

namespace kann::io {
namespace {

using namespace std::string_view_literals;

// Sizes of the records, without what follows them.
constexpr std::size_t k_end = 22, k_locator = 20, k_end_64 = 56, k_entry = 46, k_local = 30;
constexpr std::size_t k_comment = 65535;
constexpr std::uint64_t k_in_64_bits_32 = 0xffffffff, k_in_64_bits_16 = 0xffff;  // see the ZIP64 record instead

/// Numbers of a record at `start`; ZIP is little-endian. The caller has checked that the record is there.
class Record {
 public:
  Record(std::string_view bytes, std::size_t start) : bytes_(bytes.substr(start)) {}

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

bool is_record(std::string_view bytes, std::uint64_t start, std::size_t size, std::string_view magic) {
  return start <= bytes.size() && bytes.size() - start >= size && bytes.substr(start).starts_with(magic);
}

/// The offset of the last record, which ends the file with a comment.
std::size_t find_end(std::string_view bytes, const std::string& file) {
  for (std::size_t back = k_end; back <= std::min(bytes.size(), k_end + k_comment); ++back) {
    const std::size_t start = bytes.size() - back;
    if (is_record(bytes, start, k_end, "PK\5\6") && Record(bytes, start).u16(20) == back - k_end) return start;
  }
  refuse(file, "no directory at the end of the archive: the file is cut off or no ZIP");
}

struct Directory {
  std::uint64_t entries, size, start;
};

Directory read_end(std::string_view bytes, const std::string& file) {
  const std::size_t start = find_end(bytes, file);
  const Record end(bytes, start);
  if (end.u16(4) != end.u16(6) || end.u16(8) != end.u16(10)) refuse(file, "an archive on several disks is not read");
  Directory directory{end.u16(10), end.u32(12), end.u32(16)};
  const bool is_64 =
      directory.entries == k_in_64_bits_16 || directory.size == k_in_64_bits_32 || directory.start == k_in_64_bits_32;
  if (is_64 && start >= k_locator && is_record(bytes, start - k_locator, k_locator, "PK\6\7")) {
    const std::uint64_t place = Record(bytes, start - k_locator).u64(8);
    if (!is_record(bytes, place, k_end_64, "PK\6\6"))
      refuse_byte(file, start - k_locator, fmt::format("no ZIP64 record at byte {}", place));
    const Record end_64(bytes, place);
    directory = {end_64.u64(32), end_64.u64(40), end_64.u64(48)};
  }
  if (directory.start > start || directory.size > start - directory.start ||
      WideSize{directory.entries} * k_entry > directory.size)
    refuse(file, fmt::format("the directory of {} members does not fit the archive (got {} bytes at {}, file holds {})",
                             directory.entries, directory.size, directory.start, bytes.size()));
  return directory;
}

/// Takes from the extra fields of an entry what does not fit its 32 bits.
void read_extra_64(std::string_view extra, ZipMember& member) {
  constexpr std::uint64_t zip64 = 1;
  while (extra.size() >= 4) {
    const std::uint64_t id = Record(extra, 0).u16(0), size = Record(extra, 0).u16(2);
    extra.remove_prefix(4);
    if (size > extra.size()) return;
    std::string_view field = extra.substr(0, size);
    extra.remove_prefix(size);
    if (id != zip64) continue;
    for (std::uint64_t* const value : {&member.size, &member.compressed, &member.local_header}) {
      if (*value != k_in_64_bits_32 || field.size() < 8) continue;
      *value = Record(field, 0).u64(0);
      field.remove_prefix(8);
    }
  }
}

[[noreturn]] void refuse_member(const std::string& file, const ZipMember& member, const std::string& what) {
  refuse(file, fmt::format("member {} {}", quoted(member.name), what));
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
};

}  // namespace

std::vector<ZipMember> zip_members(std::string_view bytes, const std::string& file) {
  const Directory directory = read_end(bytes, file);
  std::vector<ZipMember> members;
  std::size_t at = directory.start;
  const std::size_t end = directory.start + directory.size;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (end - at < k_entry || !is_record(bytes, at, k_entry, "PK\1\2"))
      refuse_byte(file, at, fmt::format("no entry {} of {} in the directory", i, directory.entries));
    const Record entry(bytes, at);
    const std::size_t name = entry.u16(28), extra = entry.u16(30), comment = entry.u16(32);
    if (end - at - k_entry < name + extra + comment)
      refuse_byte(file, at, fmt::format("entry {} of the directory is cut off", i));
    ZipMember member;
    member.name = bytes.substr(at + k_entry, name);
    member.flags = entry.at<std::uint16_t>(8);
    member.method = entry.at<std::uint16_t>(10);
    member.crc = entry.at<std::uint32_t>(16);
    member.compressed = entry.u32(20);
    member.size = entry.u32(24);
    member.local_header = entry.u32(42);
    read_extra_64(bytes.substr(at + k_entry + name, extra), member);
    members.push_back(std::move(member));
    at += k_entry + name + extra + comment;
  }
  return members;
}

std::string_view stored_bytes(std::string_view bytes, const ZipMember& member, const std::string& file) {
  if (member.flags & 1) refuse_member(file, member, "is encrypted");
  if (member.method != 0 && member.method != 8)
    refuse_member(file, member,
                  fmt::format("is compressed by method {} (need 0, stored, or 8, deflate)", member.method));
  if (!is_record(bytes, member.local_header, k_local, "PK\3\4"))
    refuse_member(file, member, fmt::format("has no header at byte {}", member.local_header));
  const Record header(bytes, member.local_header);
  const std::size_t name = member.local_header + k_local;
  const std::uint64_t skipped = header.u16(26) + header.u16(28), left = bytes.size() - name;
  if (skipped > left || bytes.substr(name, header.u16(26)) != member.name)
    refuse_member(file, member, fmt::format("has another name in its own header, at byte {}", member.local_header));
  if (member.compressed > left - skipped)
    refuse_member(file, member, fmt::format("needs {} bytes, file holds {}", member.compressed, left - skipped));
  if (member.method == 0 && member.compressed != member.size)
    refuse_member(file, member, fmt::format("is stored in {} bytes and has {}", member.compressed, member.size));
  return bytes.substr(name + skipped, member.compressed);
}

std::string_view content_of(const ZipMember& member, std::string_view stored, Array<char>& room,
                            const std::string& file) {
  std::string_view content = stored;
  if (member.method == 8) {
    room.resize(member.size);
    const std::unique_ptr<libdeflate_decompressor, FreeDecompressor> deflate(libdeflate_alloc_decompressor());
    if (!deflate) throw std::bad_alloc();
    std::size_t used = 0;
    const libdeflate_result result = libdeflate_deflate_decompress_ex(deflate.get(), stored.data(), stored.size(),
                                                                      room.data(), room.size(), &used, nullptr);
    if (result != LIBDEFLATE_SUCCESS || used != stored.size())
      refuse_member(file, member, fmt::format("is no deflate of {} bytes", member.size));
    content = {room.data(), room.size()};
  }
  if (const std::uint32_t crc = libdeflate_crc32(0, content.data(), content.size()); crc != member.crc)
    refuse_member(file, member, fmt::format("is damaged (its CRC-32 is {:08x}, need {:08x})", crc, member.crc));
  return content;
}

}  // namespace kann::io
