// Cells of tables as text (RFC 4180): names, numbers and texts.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "kann/attributes.hpp"
#include "kann/points.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

inline constexpr std::size_t k_longest_number = 26;

/// The name as the header has it: on one line, and none that readers take for a number.
std::string header_name(std::string name);

/// That name, in quotes where it needs them.
std::string header_cell(const std::string& name);

/// Whether a text has to be in quotes: it has a delimiter, a quote, a line break or blanks at its ends, or looks like a
/// comment.
bool needs_quotes(std::string_view text);

/// Writes the shortest decimals that read back as the same value. Returns their end.
template <class T>
char* put_number(char* out, T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) value = std::abs(value);  // nan, not -nan
  return std::to_chars(out, out + k_longest_number, value).ptr;
}

/// A column of a table: values that lie somewhere in memory, and are not copied.
struct CellColumn {
  std::string name;
  std::variant<const std::int8_t*, const std::uint8_t*, const std::int16_t*, const std::uint16_t*, const std::int32_t*,
               const std::uint32_t*, const std::int64_t*, const std::uint64_t*, const float*, const double*>
      values;
  std::int64_t stride = 1;                      ///< from a value to the next
  std::size_t longest_cell = k_longest_number;  ///< bytes
  const Texts* texts = nullptr;                 ///< as Attribute has them
  std::optional<int> decimals = {};             ///< none: as few as read back as the same value
  /// Line i has value rows[i], or an empty cell if that is −1; empty: value i.
  std::span<const std::int64_t> rows = {};
  bool is_scattered = false;  ///< `rows` are in no order, so that their values are fetched before they are needed
};

/// The values of an attribute, which must outlive the column; or a coordinate of points.
CellColumn column_of(const Attribute& attribute);
CellColumn column_of(const PointsView& points, int axis, std::string name);

/// Lines of cells.
struct CellLines {
  std::span<const CellColumn> columns;
  std::int64_t count;    ///< of lines
  std::int64_t all;      ///< lines of the whole file
  char delimiter;        ///< between cells
  std::string_view nan;  ///< what stands for NaN
};

/// Writes the lines, on up to `threads` threads; blocks. @throws Error resources.
void write_cells(const CellLines& lines, ByteSink& sink, int threads);

}  // namespace kann::formats
