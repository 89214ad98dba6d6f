// The rows of a text file, line by line.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"
#include "formats/text/text_attributes.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

[[noreturn]] inline void refuse_long_line(const std::string& file, std::int64_t line) {
  refuse_line(file, line, fmt::format("the line is longer than {} bytes", k_text_line_bytes));
}

/// Reads rows, one after another.
class TextRows {
 public:
  TextRows(const TextLayout& layout, const std::string& file) : layout_(layout), file_(file) {}

  /// Takes the next row from the lines. False if there is none, or if the text ends within it: then `lines` are again
  /// those before it, and is_cut(). @throws Error bad_input, with the line, for one that is too long.
  bool next(Lines& lines) {
    for (;;) {
      const Lines before = lines;
      std::string_view text;
      if (!lines.next(text)) return false;
      line_ = lines.number();
      if (text.size() > k_text_line_bytes) refuse_long_line(file_, line_);
      if (is_skipped(text) && !is_row_of_tabs(text) && !is_row_of_marks(text)) continue;
      offset_ = before.offset();
      for (Fields fields = split(text); fields.open_quote();) {
        const std::size_t column = cells_.size() - 1;
        if (!lines.extend_to_close(fields.open_quote(), k_text_line_bytes, text)) {
          if (before.left() > k_text_line_bytes) refuse_open(column);
          is_cut_ = true;
          lines = before;
          return false;
        }
        cells_.pop_back();
        fields.extend(text);
        take_cells(fields);
        if (!cells_[column].in_quotes || text.size() > k_text_line_bytes) refuse_open(column);
      }
      lines_of_row_ = lines.number() - line_ + 1;
      return true;
    }
  }

  /// Number of the row's first line, and the offset of that in its text.
  std::int64_t line() const { return line_; }
  std::size_t offset() const { return offset_; }

  bool is_cut() const { return is_cut_; }

  /// Sets the coordinates of the row, and gives its cells to the attributes. @throws Error bad_input, with the line.
  void read(std::array<double, 3>& point, TextAttributes& attributes) const {
    bool are_quoted = false;
    for (std::size_t a = 0; a < layout_.axes.size(); ++a) {
      if (layout_.axes[a] >= cells_.size()) continue;
      point[a] = number(layout_.axes[a]);
      are_quoted |= cells_[layout_.axes[a]].in_quotes.has_value();
    }
    attributes.add(cells_, are_quoted, line_);
    // Programs that end each row with a delimiter leave the header without one.
    const bool may_end_so = layout_.header_line > 0 || layout_.ends_in_delimiter;
    const bool ends_in_delimiter = may_end_so && cells_.size() == layout_.table.count + 1 && cells_.back().text.empty();
    if (cells_.size() != layout_.table.count && !ends_in_delimiter) refuse_length();
  }

  /// Refuses the row that is_cut(), since its last cell is open.
  [[noreturn]] void refuse_cut() const { refuse_open(cells_.size() - 1); }

 private:
  [[noreturn]] void refuse_open(std::size_t column) const {
    const std::string_view cell = cells_[column].text;
    refuse_line(
        file_, line_,
        fmt::format("column {} begins with a quote that nothing closes; where quotes are characters like others, "
                    "give --quotes none: {}",
                    column + 1, quote(cell.substr(0, cell.find('\n')))));
  }

  /// Makes cells of a row, up to the last or to one that goes on in the next line.
  Fields split(std::string_view text) {
    cells_.clear();
    Fields fields(text, layout_.separation);
    take_cells(fields);
    return fields;
  }

  void take_cells(Fields& fields) {
    for (std::string_view field; fields.next(field);) {
      cells_.push_back({field, fields.in_quotes()});
      if (fields.open_quote()) return;
      if (layout_.separation.has_quotes && field.starts_with('"') && field.find("\\\"") != std::string_view::npos)
        refuse_line(file_, line_,
                    fmt::format("column {} has a backslash before a quote: {}; two quotes stand for one in quotes, as "
                                "write.table(qmethod = \"double\") of R writes them, or give --quotes none",
                                cells_.size(), quote(field)));
    }
  }

  /// Whether a line is a row of empty cells that are separated by tabs, and so is no blank line.
  bool is_row_of_tabs(std::string_view line) const {
    return layout_.separation.delimiter == Delimiter::tab && trimmed(line).empty() &&
           std::ranges::count(line, '\t') + 1 == static_cast<std::ptrdiff_t>(layout_.table.count);
  }

  /// Whether a line that begins like a comment has as many cells as the header, of which, at blanks, the first is
  /// more than that mark: catalogues have names such as #7.
  bool is_row_of_marks(std::string_view line) {
    if (layout_.header_line == 0 || layout_.is_in_comment || trimmed(line).empty()) return false;
    split(line);
    const bool is_more = layout_.separation.delimiter != Delimiter::blanks ||
                         cells_[0].text.find_first_not_of("#/") != std::string_view::npos;
    return cells_.size() == layout_.table.count && is_more;
  }

  /// What may be wrong with a row that goes on in quotes.
  std::string quotes_hint() const {
    if (lines_of_row_ == 1) return "";
    return fmt::format(
        "; the row goes on to line {} in quotes; where quotes are characters like others, give --quotes none",
        line_ + lines_of_row_ - 1);
  }

  [[noreturn]] void refuse_length() const {
    const bool has_header = layout_.header_line > 0;
    refuse_line(file_, line_,
                fmt::format("row has {} (need {}, as in {} {}){}", counted(cells_.size(), "column"),
                            layout_.table.count, has_header ? "the header in line" : "line",
                            has_header ? layout_.header_line : layout_.row_line, quotes_hint()));
  }

  double number(std::size_t column) const {
    const std::string_view field = cells_[column].text;
    double value = 0;
    const NumberFault fault = parse_number(layout_.has_decimal_commas ? with_decimal_point(field) : field, value);
    if (fault == NumberFault::none && is_rounded_whole(field, value))
      refuse_line(file_, line_,
                  fmt::format("column {} is a whole number past 2^53, which float64 does not hold exactly: {}",
                              column + 1, quote(field)));
    if (fault == NumberFault::none) return value;
    if (is_missing_value(field)) return std::numeric_limits<double>::quiet_NaN();
    const std::string_view hint =
        field.find(':') != std::string_view::npos ? "; sexagesimal? angles are in degrees, hours or radians"
        : layout_.separation.delimiter != Delimiter::comma && field.find(',') != std::string_view::npos
            ? "; commas are decimal ones if no coordinate has a point, and one cannot be of thousands, as 0,125 or 1,25"
            : "";
    refuse_line(file_, line_,
                fmt::format("column {} {}: {}{}", column + 1, describe(fault), quote(field),
                            lines_of_row_ > 1 ? quotes_hint() : hint));
  }

  const TextLayout& layout_;
  const std::string& file_;
  std::vector<TextCell> cells_;
  std::int64_t line_ = 0, lines_of_row_ = 1;
  std::size_t offset_ = 0;
  bool is_cut_ = false;
};

}  // namespace kann::formats
