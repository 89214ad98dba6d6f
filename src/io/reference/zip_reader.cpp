#include "io/reference/zip_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "io/files/refusal.hpp"
#include "io/reference/number_at.hpp"
#include "io/results/crc32.hpp"

namespace kann::io {
namespace {

constexpr std::uint32_t k_all_ones_32 = 0xffffffff;
constexpr std::uint16_t k_all_ones_16 = 0xffff;
constexpr std::size_t k_end_size = 22, k_locator_size = 20, k_end_64_size = 56, k_entry_size = 46, k_local_size = 30;

/// The place of the end of the directory (4.3.16), which a comment may follow; npos if there is none.
std::size_t find_end(std::string_view archive) {
  if (archive.size() < k_end_size) return std::string_view::npos;
  const std::size_t last = archive.size() - k_end_size, first = last - std::min<std::size_t>(last, k_all_ones_16);
  for (std::size_t place = last + 1; place-- > first;)
    if (archive.substr(place, 4) == "PK\x05\x06" &&
        number_at<std::uint16_t>(archive, place + 20) == archive.size() - place - k_end_size)
      return place;
  return std::string_view::npos;
}

}  // namespace

ZipReader::ZipReader(std::string_view archive, const std::string& file) : archive_(archive), file_(file) {
  const std::size_t end = find_end(archive);
  if (end == std::string_view::npos) refuse(file, "not an NPZ archive, or cut short: its directory is missing");
  std::uint64_t count = number_at<std::uint16_t>(archive, end + 10);
  std::uint64_t begin = number_at<std::uint32_t>(archive, end + 16);
  if (count == k_all_ones_16 || begin == k_all_ones_32) {  // 4.3.14, 4.3.15
    if (end < k_locator_size || archive.substr(end - k_locator_size, 4) != "PK\x06\x07")
      refuse_byte(file, end, "the locator of the ZIP64 directory is missing");
    const auto end_64 = number_at<std::uint64_t>(archive, end - k_locator_size + 8);
    if (end_64 > end || end - end_64 < k_end_64_size || archive.substr(end_64, 4) != "PK\x06\x06")
      refuse_byte(file, end - k_locator_size, "the end of the ZIP64 directory is missing");
    count = number_at<std::uint64_t>(archive, end_64 + 32);
    begin = number_at<std::uint64_t>(archive, end_64 + 48);
  }
  if (begin > end || count > (end - begin) / k_entry_size)
    refuse_byte(file, end, fmt::format("a directory of {} entries at byte {} is not in the archive", count, begin));
  std::size_t place = static_cast<std::size_t>(begin);
  for (std::uint64_t i = 0; i < count; ++i) place = read_entry(place);
}

/// Reads the entry (4.3.12) at `place`, and returns the place of the next.
std::size_t ZipReader::read_entry(std::size_t place) {
  const std::string_view rest = archive_.substr(place);
  if (rest.size() < k_entry_size || !rest.starts_with("PK\x01\x02"))
    refuse_byte(file_, place, "not an entry of the archive's directory");
  const std::size_t name_size = number_at<std::uint16_t>(rest, 28), extra_size = number_at<std::uint16_t>(rest, 30),
                    comment_size = number_at<std::uint16_t>(rest, 32),
                    size = k_entry_size + name_size + extra_size + comment_size;
  if (rest.size() < size) refuse_byte(file_, place, "an entry of the directory goes beyond the archive");
  Entry e;
  e.place = place;
  e.name = rest.substr(k_entry_size, name_size);
  e.flags = number_at<std::uint16_t>(rest, 8);
  e.method = number_at<std::uint16_t>(rest, 10);
  e.crc = number_at<std::uint32_t>(rest, 16);
  e.packed = number_at<std::uint32_t>(rest, 20);
  e.size = number_at<std::uint32_t>(rest, 24);
  e.offset = number_at<std::uint32_t>(rest, 42);

  // 4.5.3: the values that are all ones are in a field of their own, in this order
  std::string_view extra = rest.substr(k_entry_size + name_size, extra_size);
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    std::string_view field = extra.substr(4, number_at<std::uint16_t>(extra, 2));
    extra.remove_prefix(4 + field.size());
    if (id != 1) continue;
    for (std::uint64_t* value : {&e.size, &e.packed, &e.offset}) {
      if (*value != k_all_ones_32) continue;
      if (field.size() < 8) refuse_byte(file_, place, "a ZIP64 field is too short");
      *value = number_at<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
  entries_.push_back(e);
  return place + size;
}

std::optional<std::string_view> ZipReader::member(std::string_view name) const {
  const auto has_name = [&](const Entry& e) { return e.name == name; };
  const auto found = std::ranges::find_if(entries_, has_name);
  if (found == entries_.end()) return std::nullopt;
  const Entry& e = *found;
  const auto fail = [&](std::size_t byte, const std::string& what) {
    refuse_byte(file_, byte, std::string(name) + ": " + what);
  };
  if (std::find_if(found + 1, entries_.end(), has_name) != entries_.end()) fail(e.place, "twice in the archive");
  if (e.method != 0) fail(e.place, fmt::format("compressed (method {}); save it by numpy.savez", e.method));
  if ((e.flags & 1) || e.packed != e.size) fail(e.place, "encrypted, or sizes that do not match");
  if (archive_.size() < k_local_size || e.offset > archive_.size() - k_local_size ||
      archive_.substr(static_cast<std::size_t>(e.offset), 4) != "PK\x03\x04")
    fail(e.place, fmt::format("no member begins at byte {}", e.offset));
  const std::string_view local = archive_.substr(static_cast<std::size_t>(e.offset));  // 4.3.7
  const std::size_t header = k_local_size + number_at<std::uint16_t>(local, 26) + number_at<std::uint16_t>(local, 28);
  if (header > local.size() || e.size > local.size() - header)
    fail(static_cast<std::size_t>(e.offset), fmt::format("{} bytes go beyond the archive", e.size));
  const std::string_view content = local.substr(header, static_cast<std::size_t>(e.size));
  if (crc32(0, std::as_bytes(std::span(content.data(), content.size()))) != e.crc)
    fail(static_cast<std::size_t>(e.offset), "the checksum is wrong: the file is damaged");
  return content;
}

}  // namespace kann::io
