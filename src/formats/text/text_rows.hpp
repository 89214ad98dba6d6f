// The rows of a text file, line by line.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>

#include "formats/files/refusal.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"
#include "formats/text/text_attributes.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

inline constexpr std::size_t k_text_line_bytes = std::size_t{1} << 20;

[[noreturn]] inline void refuse_long_line(const std::string& file, std::int64_t line) {
  refuse_line(file, line, fmt::format("the line is longer than {} bytes", k_text_line_bytes));
}

class TextRows {
 public:
  TextRows(const TextLayout& layout, const std::string& file) : layout_(layout), file_(file) {}

  /// Whether a line, which has this number, is a row. @throws Error bad_input if it is too long.
  bool is_row(std::string_view line, std::int64_t number) const {
    if (line.size() > k_text_line_bytes) refuse_long_line(file_, number);
    return !is_skipped(line) || is_row_of_tabs(line) || is_row_of_marks(line);
  }

  /// Sets the coordinates of a row, and gives its cells to the attributes. @throws Error bad_input, with the line.
  void read(std::string_view line, std::int64_t line_number, std::array<double, 3>& point,
            TextAttributes& attributes) const {
    Fields fields(line, layout_.delimiter);
    std::size_t column = 0;
    bool ends_empty = false;
    for (std::string_view field; fields.next(field); ++column) {
      if (fields.has_open_quote())
        refuse_line(file_, line_number,
                    fmt::format("column {} begins with a quote that its line does not close (line breaks within quotes "
                                "are not read): {}",
                                column + 1, quote(field)));
      ends_empty = field.empty();
      for (std::size_t a = 0; a < layout_.axes.size(); ++a)
        if (layout_.axes[a] == column) point[a] = number(field, line_number, column);
      if (attributes.has(column)) attributes.add(column, field, fields, line_number);
    }
    // Programs that end each row with a delimiter leave the header without one.
    const bool may_end_so = layout_.header_line > 0 || layout_.ends_in_delimiter;
    const bool ends_in_delimiter = may_end_so && ends_empty && column == layout_.table.count + 1;
    if (column != layout_.table.count && !ends_in_delimiter) refuse_length(line_number, column);
  }

 private:
  /// Whether a line is a row of empty cells that are separated by tabs, and so is no blank line.
  bool is_row_of_tabs(std::string_view line) const {
    return layout_.delimiter == Delimiter::tab && trimmed(line).empty() &&
           std::ranges::count(line, '\t') + 1 == static_cast<std::ptrdiff_t>(layout_.table.count);
  }

  /// Whether a line that begins like a comment has as many cells as the header, of which the first is more than that
  /// mark: catalogues have names such as #7.
  bool is_row_of_marks(std::string_view line) const {
    if (layout_.header_line == 0 || layout_.is_in_comment || trimmed(line).empty()) return false;
    Fields fields(line, layout_.delimiter);
    std::string_view field, first;
    fields.next(first);
    std::size_t count = 1;
    while (fields.next(field)) ++count;
    return count == layout_.table.count && first.find_first_not_of("#/") != std::string_view::npos;
  }

  [[noreturn]] void refuse_length(std::int64_t line_number, std::size_t columns) const {
    const bool has_header = layout_.header_line > 0;
    refuse_line(
        file_, line_number,
        fmt::format("row has {} (need {}, as in {} {})", counted(columns, "column"), layout_.table.count,
                    has_header ? "the header in line" : "line", has_header ? layout_.header_line : layout_.row_line));
  }

  double number(std::string_view field, std::int64_t line_number, std::size_t column) const {
    double value = 0;
    const NumberFault fault = parse_number(field, value);
    if (fault == NumberFault::none && is_rounded_whole(field, value))
      refuse_line(file_, line_number,
                  fmt::format("column {} is a whole number past 2^53, which float64 does not hold exactly: {}",
                              column + 1, quote(field)));
    if (fault == NumberFault::none) return value;
    if (is_missing_value(field)) return std::numeric_limits<double>::quiet_NaN();
    refuse_line(file_, line_number, fmt::format("column {} {}: {}", column + 1, describe(fault), quote(field)));
  }

  const TextLayout& layout_;
  const std::string& file_;
};

}  // namespace kann::formats
