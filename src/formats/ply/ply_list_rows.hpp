// Rows of elements with lists, in a binary body: only the lists' counts say where the rows end.
#pragma once

#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "formats/files/refusal.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/table/columns.hpp"

namespace kann::formats {

/// The minimum bytes of a row: those of one whose lists are empty.
inline std::size_t min_row_bytes(const PlyElement& element) {
  std::size_t bytes = 0;
  for (const PlyProperty& p : element.properties) bytes += size_of(p.count_type.value_or(p.type));
  return bytes;
}

/// Goes through the rows of elements of a file of `size` bytes. `Bytes` is called with an offset and a number of bytes,
/// which the file has, and returns where they are in memory until the next call.
template <class Bytes>
class PlyListRows {
 public:
  PlyListRows(Bytes& bytes, std::size_t size, std::endian order, const std::string& file)
      : bytes_(bytes), size_(size), order_(order), file_(file) {}

  /// Calls f(property, offset, bytes) for every property, lists included, of all rows, which begin at byte `begin` of
  /// the file. Returns the offset after them. @throws Error bad_input, with the byte.
  template <class F>
  std::size_t each(const PlyElement& element, std::size_t begin, F&& f) {
    position_ = begin;
    for (std::uint64_t row = 0; row < element.count; ++row)
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const PlyProperty& property = element.properties[p];
        const WideSize bytes =
            property.count_type ? list_bytes(element, row, property) : WideSize{size_of(property.type)};
        const std::size_t start = position_;
        skip(bytes, element, row, property);
        f(p, start, static_cast<std::size_t>(bytes));
      }
    return position_;
  }

 private:
  /// Reads a list's count and returns the size of its items in bytes.
  WideSize list_bytes(const PlyElement& element, std::uint64_t row, const PlyProperty& property) {
    const std::size_t start = position_;
    skip(size_of(*property.count_type), element, row, property);
    const std::int64_t count = load_integer(bytes_(start, size_of(*property.count_type)), *property.count_type, order_);
    if (count < 0)
      refuse_byte(file_, start,
                  fmt::format("{} {}: list {} has a negative count (got {})", excerpt(element.name), row,
                              quote(property.name), count));
    return static_cast<WideSize>(count) * size_of(property.type);
  }

  void skip(WideSize bytes, const PlyElement& element, std::uint64_t row, const PlyProperty& property) {
    const std::size_t left = size_ - position_;
    if (bytes > left)
      refuse_byte(file_, position_,
                  fmt::format("{} {}: the file ends within property {} (got {}, need {})", excerpt(element.name), row,
                              quote(property.name), counted(left, "byte"), bytes));
    position_ += static_cast<std::size_t>(bytes);
  }

  Bytes& bytes_;
  const std::size_t size_;
  const std::endian order_;
  const std::string& file_;
  std::size_t position_ = 0;
};

}  // namespace kann::formats
