// Rows of elements with lists, in a binary body: only the lists' counts say where the rows end.
#pragma once

#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "formats/files/file_window.hpp"
#include "formats/files/input.hpp"
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

/// Goes through the rows of elements of an input whose size is known.
class PlyListRows {
 public:
  PlyListRows(const Input& input, std::endian order)
      : window_(input), size_(input.size()), order_(order), file_(input.name()) {}

  /// Calls f(property, bytes) for every scalar property of all rows, which begin at byte `begin`; the bytes are valid
  /// until f() returns. Returns the offset after them. @throws Error bad_input, with the byte.
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
        if (!property.count_type) f(p, window_(start, static_cast<std::size_t>(bytes)));
      }
    return position_;
  }

 private:
  /// Reads a list's count and returns the size of its items in bytes.
  WideSize list_bytes(const PlyElement& element, std::uint64_t row, const PlyProperty& property) {
    const std::size_t start = position_;
    skip(size_of(*property.count_type), element, row, property);
    const std::int64_t count =
        load_integer(window_(start, size_of(*property.count_type)), *property.count_type, order_);
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

  FileWindow window_;
  const std::size_t size_;
  const std::endian order_;
  const std::string& file_;
  std::size_t position_ = 0;
};

}  // namespace kann::formats
