#include "formats/zip/zip_writer.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kann/error.hpp"

#include "base/threads/copy_threads.hpp"
#include "formats/files/byte_sink.hpp"
#include "formats/zip/crc32.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_cached_piece = std::size_t{1} << 20;         // stays in a core's cache between its two uses
constexpr std::size_t k_worth_a_thread = std::size_t{4} << 20;       // starting one takes 0.05 ms, as long as 0.5 MB
constexpr std::size_t k_uninterrupted_piece = std::size_t{4} << 20;  // 0.4 ms

/// Calls f(piece) for pieces of `bytes` in their order, until it returns false. Returns whether it never did.
template <class F>
bool for_each_piece(std::span<const std::byte> bytes, std::size_t size, F&& f) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(size, bytes.size())))
    if (!f(bytes.first(std::min(size, bytes.size())))) return false;
  return true;
}

/// Writes `bytes` to `sink`, and returns the CRC-32 of the bytes before them, which have the CRC-32 `crc`, and of
/// these; blocks. The calling thread writes; a second one sums, unless `threads` is 1 (0: as many as the machine has)
/// or the bytes are few.
/// @throws Error resources.
std::uint32_t write_beside_crc32(ByteSink& sink, std::span<const std::byte> bytes, std::uint32_t crc, int threads) {
  if (bytes.size() <= k_worth_a_thread || base::thread_count(threads) == 1) {
    for_each_piece(bytes, k_cached_piece, [&](auto piece) {
      crc = crc32(crc, piece, 1);
      sink.write(piece);
      return true;
    });
    return crc;
  }

  // One thread sums 9 GB per second, several times what one file takes.
  std::optional<std::uint32_t> sum;
  std::atomic<bool> has_failed{false};
  base::on_workers(2, [&](std::size_t worker) {
    if (worker == 0) {
      try {
        sink.write(bytes);
      } catch (...) {
        has_failed = true;
        throw;
      }
      return;
    }
    std::uint32_t so_far = crc;
    const bool is_complete = for_each_piece(bytes, k_uninterrupted_piece, [&](auto piece) {
      so_far = crc32(so_far, piece, 1);
      return !has_failed;
    });
    if (is_complete) sum = so_far;
  });
  return sum ? *sum : crc32(crc, bytes, 1);  // no second thread could be started
}

constexpr std::uint64_t k_all_ones_32 = 0xffffffff;  // "the value is in the ZIP64 field"
constexpr std::uint16_t k_version_plain = 20, k_version_zip64 = 45;
constexpr std::uint16_t k_made_on_unix = 3 << 8;
constexpr std::uint32_t k_regular_file_0644 = 0100644u << 16;
constexpr std::uint16_t k_names_are_utf8 = 1 << 11;
constexpr std::uint16_t k_stored = 0;
constexpr std::uint32_t k_date_1980_01_01 = ((0u << 9) | (1u << 5) | 1u) << 16;  // and 00:00:00 below it
constexpr std::uint16_t k_field_zip64 = 0x0001;
constexpr std::uint16_t k_field_alignment = 0xd935;  // as Android's zipalign: the alignment, then zeros
constexpr std::uint16_t k_alignment = 64;

bool needs_zip64(std::uint64_t value) { return value >= k_all_ones_32; }

std::uint32_t low_field(std::uint64_t value) { return static_cast<std::uint32_t>(std::min(value, k_all_ones_32)); }

/// Appends the fields that a local header (4.3.7) and a directory entry (4.3.12) share.
void append_common(std::string& header, bool zip64, std::uint32_t crc, std::uint64_t size, const std::string& name,
                   std::size_t extra_size) {
  append_number(header, zip64 ? k_version_zip64 : k_version_plain);
  append_number(header, k_names_are_utf8);
  append_number(header, k_stored);
  append_number(header, k_date_1980_01_01);
  append_number(header, crc);
  append_number(header, low_field(size));  // compressed
  append_number(header, low_field(size));  // uncompressed
  append_number(header, static_cast<std::uint16_t>(name.size()));
  append_number(header, static_cast<std::uint16_t>(extra_size));
}

void append_field(std::string& extra, std::uint16_t id, std::string_view content) {
  append_number(extra, id);
  append_number(extra, static_cast<std::uint16_t>(content.size()));
  extra += content;
}

/// Appends the two sizes of the ZIP64 field (4.5.3).
void append_sizes(std::string& field, std::uint64_t size) {
  append_number(field, size);
  append_number(field, size);
}

/// Appends the field that pads the local header; `content_begin` is the offset of the content without it.
void append_alignment(std::string& extra, std::uint64_t content_begin) {
  constexpr std::size_t smallest_field = 3 * sizeof(std::uint16_t);
  const std::uint64_t begin = content_begin + smallest_field;
  std::string content;
  append_number(content, k_alignment);
  content.append((k_alignment - begin % k_alignment) % k_alignment, '\0');
  append_field(extra, k_field_alignment, content);
}

}  // namespace

void ZipWriter::write(std::span<const std::byte> bytes) {
  sink_.write(bytes);
  position_ += bytes.size();
}

std::string ZipWriter::header_of(const Member& member) {
  std::string extra;
  const bool zip64 = needs_zip64(member.size);
  if (zip64) {
    std::string sizes;
    append_sizes(sizes, member.size);
    append_field(extra, k_field_zip64, sizes);
  }
  constexpr std::uint64_t k_local_header_size = 30;
  append_alignment(extra, member.offset + k_local_header_size + member.name.size() + extra.size());

  std::string header = "PK\x03\x04";
  append_common(header, zip64, member.crc, member.size, member.name, extra.size());
  return header + member.name + extra;
}

void ZipWriter::add(const std::string& name, std::uint64_t size, const Content& content) {
  if (sink_.can_overwrite()) {
    const std::size_t member = reserve(name, size);
    content([&](std::span<const std::byte> bytes) { fill(member, bytes); });
    if (members_[member].missing > 0)
      throw Error(ErrorKind::internal, sink_.name() + ": less than the size of a member");
    return;
  }
  Member member{name, 0, size, position_};
  content([&](std::span<const std::byte> bytes) { member.crc = crc32(member.crc, bytes, threads_); });
  write(as_bytes(header_of(member)));
  const std::uint64_t begin = position_;
  content([this](std::span<const std::byte> bytes) { write(bytes); });
  if (position_ - begin != size) throw Error(ErrorKind::internal, sink_.name() + ": not the size of a member");
  members_.push_back(std::move(member));
}

std::size_t ZipWriter::reserve(const std::string& name, std::uint64_t size) {
  members_.push_back({name, 0, size, position_, size});
  const std::uint64_t all = header_of(members_.back()).size() + size;
  sink_.skip(all);
  position_ += all;
  members_.back().end = position_;
  return members_.size() - 1;
}

void ZipWriter::fill(std::size_t member, std::span<const std::byte> bytes) {
  Member& m = members_[member];
  if (bytes.size() > m.missing) throw Error(ErrorKind::internal, sink_.name() + ": more than the size of a member");
  PlaceSink place(sink_, next_of(member));
  m.crc = write_beside_crc32(place, bytes, m.crc, threads_);
  m.missing -= bytes.size();
}

void ZipWriter::finish() {
  for (const Member& m : members_)
    if (m.end > 0) sink_.overwrite(m.offset, as_bytes(header_of(m)));
  const std::uint64_t begin = position_;
  std::string directory;
  for (const Member& m : members_) {
    std::string fields;  // only the values that exceed 32 bits, in this order (4.5.3)
    if (needs_zip64(m.size)) append_sizes(fields, m.size);
    if (needs_zip64(m.offset)) append_number(fields, m.offset);
    std::string extra;
    if (!fields.empty()) append_field(extra, k_field_zip64, fields);

    directory += "PK\x01\x02";
    append_number(directory, static_cast<std::uint16_t>(k_made_on_unix | k_version_zip64));
    append_common(directory, !fields.empty(), m.crc, m.size, m.name, extra.size());
    append_number(directory, std::uint16_t{0});  // comment
    append_number(directory, std::uint16_t{0});  // disk
    append_number(directory, std::uint16_t{0});  // internal attributes
    append_number(directory, k_regular_file_0644);
    append_number(directory, low_field(m.offset));
    directory += m.name + extra;
  }

  const std::uint64_t size = directory.size();
  const std::uint64_t count = members_.size();
  if (needs_zip64(begin) || needs_zip64(size)) {
    directory += "PK\x06\x06";  // 4.3.14
    append_number(directory, std::uint64_t{44});
    append_number(directory, static_cast<std::uint16_t>(k_made_on_unix | k_version_zip64));
    append_number(directory, k_version_zip64);
    append_number(directory, std::uint32_t{0});
    append_number(directory, std::uint32_t{0});
    append_number(directory, count);
    append_number(directory, count);
    append_number(directory, size);
    append_number(directory, begin);
    directory += "PK\x06\x07";  // 4.3.15
    append_number(directory, std::uint32_t{0});
    append_number(directory, begin + size);
    append_number(directory, std::uint32_t{1});
  }
  directory += "PK\x05\x06";                   // 4.3.16
  append_number(directory, std::uint32_t{0});  // disks
  append_number(directory, static_cast<std::uint16_t>(count));
  append_number(directory, static_cast<std::uint16_t>(count));
  append_number(directory, low_field(size));
  append_number(directory, low_field(begin));
  append_number(directory, std::uint16_t{0});  // comment
  write(as_bytes(directory));
}

}  // namespace kann::formats
