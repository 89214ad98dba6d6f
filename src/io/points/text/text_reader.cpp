// Reads text files row by row, in the layout that text_layout.hpp guesses. The file is not held: a part of 4 MiB at a
// time is read, so that 10⁷ rows take 0.25 GB and not 0.5, and an endless file without points ends with an error.
#include "io/points/text/text_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "io/files/refusal.hpp"
#include "io/points/table/lines.hpp"
#include "io/points/table/lists.hpp"
#include "io/points/table/number.hpp"
#include "io/points/text/text_attributes.hpp"
#include "io/points/text/text_layout.hpp"

namespace kann::io {
namespace {

constexpr std::size_t k_part_bytes = std::size_t{4} << 20;  // what is held; the first point must lie in the first part
constexpr std::size_t k_line_bytes = std::size_t{1} << 20;
constexpr std::size_t k_first_capacity = 3 * 1024;  // numbers

/// The parts of a text file, cut at line ends.
class Parts {
 public:
  explicit Parts(Input& input) : input_(input) {}

  /// The next lines; empty at the end. The part before is gone.
  /// @throws Error bad_input (NUL, a line that is too long, read error), resources.
  std::string_view next() {
    const std::string_view held = input_.slide(taken_, k_part_bytes);
    if (const std::size_t nul = held.find('\0'); nul != std::string_view::npos)
      refuse_line(input_.name(), lines_ + 1 + std::ranges::count(held.substr(0, nul), '\n'), "NUL byte in the text");
    taken_ = input_.is_at_end() ? held.size() : held.rfind('\n') + 1;  // npos + 1 is 0
    if (taken_ == 0 && !held.empty()) refuse_long_line(input_.name(), lines_ + 1);
    return held.substr(0, taken_);
  }

  /// Says how many lines the last part had.
  void count_lines(std::int64_t lines) { lines_ = lines; }

  [[noreturn]] static void refuse_long_line(const std::string& file, std::int64_t line) {
    refuse_line(file, line, fmt::format("the line is longer than {} bytes", k_line_bytes));
  }

 private:
  Input& input_;
  std::size_t taken_ = 0;   // bytes of what is held that next() has returned
  std::int64_t lines_ = 0;  // before what is held
};

class TextReader {
 public:
  TextReader(Input& input, const ReadOptions& options)
      : input_(input), file_(input.name()), options_(options), choice_(options.columns), parts_(input) {}

  Cloud read() {
    std::string_view part = parts_.next();
    layout_ = guess_text_layout(part, choice_);
    check_start(part);
    choose_axes(part);
    attributes_ = TextAttributes(layout_, options_, file_, cloud_.warnings);
    Lines lines(part.substr(layout_.data), layout_.lines_before);
    for (;;) {
      read_rows(lines);
      if (input_.is_at_end()) break;
      parts_.count_lines(lines.number());
      lines = Lines(parts_.next(), lines.number());
    }
    if (may_count_rows_ && rows_ >= 2)
      refuse(file_, fmt::format("column 1 numbers the rows ({}, {}, ...), as an index does; say which columns are "
                                "coordinates, e.g. --columns 2,3,4",
                                first_number_, first_number_ + 1));
    cloud_.points = Points{static_cast<int>(layout_.axes.size()), std::move(coordinates_)};
    attributes_.move_to(cloud_);
    return std::move(cloud_);
  }

 private:
  /// Refuses a file whose first part holds no row, header alone or not, or a line that is too long.
  void check_start(std::string_view part) const {
    if (!input_.is_at_end() && layout_.row_line == 0)
      refuse(file_, fmt::format("no point in the first {} bytes", k_part_bytes));
    if (!layout_.has_lines) refuse(file_, "no points");
    Lines before(part.substr(0, layout_.data));
    for (std::string_view line; before.next(line);)
      if (line.size() > k_line_bytes) Parts::refuse_long_line(file_, before.number());
  }

  /// Refuses a file of which nothing says which columns are coordinates. Must not be called after the first part: the
  /// layout's names lie in it.
  void choose_axes(std::string_view part) {
    const TableColumns& table = layout_.table;
    if (!choice_.empty()) {
      layout_.axes = chosen_axes(table, choice_, file_);
      cloud_.columns.assign(choice_.begin(), choice_.end());
    } else if (layout_.header_line > 0) {
      if (layout_.axes.empty())
        refuse_line(file_, layout_.header_line,
                    fmt::format("the header{} does not say which columns are x, y and z: {}; name them, or give "
                                "their numbers from 1, with --columns",
                                layout_.is_in_comment ? " in this comment" : "", list_of(table.names)));
      for (const std::size_t axis : layout_.axes) cloud_.columns.emplace_back(table.names[axis]);
    } else if (layout_.doubtful_comment > 0) {
      refuse_line(file_, layout_.doubtful_comment,
                  fmt::format("this comment names x and y, but not all of the {} columns of the rows; say which are "
                              "coordinates, by their numbers from 1, with --columns",
                              table.count));
    } else if (table.count < 2) {
      refuse_line(
          file_, layout_.row_line,
          std::string("row has 1 column (need 2 or more)") +
              (begins_with_count(part)      ? "; a point count? remove that line"
               : begins_with_molecule(part) ? "; a molecule? remove two lines (tail -n +3) and use --columns 2,3,4"
                                            : ""));
    } else {
      may_count_rows_ = table.count >= 4;
    }
    if (!layout_.title.empty())
      cloud_.warnings.push_back(fmt::format("{}: line {} is taken as a title, not as names of columns: {}", file_,
                                            layout_.lines_before, quoted(layout_.title)));
  }

  void read_rows(Lines& lines) {
    std::array<double, 3> point{};
    const std::size_t d = layout_.axes.size();
    for (std::string_view line; lines.next(line);) {
      if (line.size() > k_line_bytes) Parts::refuse_long_line(file_, lines.number());
      if (is_skipped(line) && !is_row_of_tabs(line)) continue;
      read_row(line, lines.number(), point);
      if (may_count_rows_) check_row_number(point[0]);
      if (coordinates_.size() + d > coordinates_.capacity()) grow();
      coordinates_.insert(coordinates_.end(), point.begin(), point.begin() + static_cast<std::ptrdiff_t>(d));
    }
  }

  /// Whether all cells of a row are empty, in a file that separates them by tabs: no blank line.
  bool is_row_of_tabs(std::string_view line) const {
    return layout_.delimiter == Delimiter::tab && trimmed(line).empty() &&
           std::ranges::count(line, '\t') + 1 == static_cast<std::ptrdiff_t>(layout_.table.count);
  }

  void check_row_number(double value) {
    if (rows_ == 0) first_number_ = value == 0 ? 0 : 1;
    may_count_rows_ = value == static_cast<double>(first_number_ + rows_);
    ++rows_;
  }

  void grow() {
    const std::size_t capacity = std::max(k_first_capacity, 2 * coordinates_.capacity());
    check_large_allocation(static_cast<double>(capacity * sizeof(double)), file_);
    coordinates_.reserve(capacity);
  }

  void read_row(std::string_view line, std::int64_t line_number, std::array<double, 3>& point) {
    Fields fields(line, layout_.delimiter);
    std::size_t column = 0;
    bool ends_empty = false;
    for (std::string_view field; fields.next(field); ++column) {
      if (fields.has_open_quote())
        refuse_line(file_, line_number,
                    fmt::format("column {} begins with a quote that its line does not close (line breaks within quotes "
                                "are not read): {}",
                                column + 1, quoted(field)));
      ends_empty = field.empty();
      for (std::size_t a = 0; a < layout_.axes.size(); ++a)
        if (layout_.axes[a] == column) point[a] = number(field, line_number, column);
      if (attributes_.has(column)) attributes_.add(column, field, line_number);
    }
    // Programs that end each row with a delimiter leave the header without one.
    const bool ends_in_delimiter = layout_.header_line > 0 && ends_empty && column == layout_.table.count + 1;
    if (column != layout_.table.count && !ends_in_delimiter) refuse_length(line_number, column);
  }

  [[noreturn]] void refuse_length(std::int64_t line_number, std::size_t columns) const {
    const bool has_header = layout_.header_line > 0;
    refuse_line(
        file_, line_number,
        fmt::format("row has {} columns (need {}, as in {} {})", columns, layout_.table.count,
                    has_header ? "the header in line" : "line", has_header ? layout_.header_line : layout_.row_line));
  }

  double number(std::string_view field, std::int64_t line_number, std::size_t column) const {
    double value = 0;
    const NumberFault fault = parse_number(field, value);
    if (fault == NumberFault::none) return value;
    if (is_missing_value(field)) return std::numeric_limits<double>::quiet_NaN();
    refuse_line(file_, line_number, fmt::format("column {} {}: {}", column + 1, describe(fault), quoted(field)));
  }

  Input& input_;
  const std::string& file_;
  const ReadOptions& options_;
  const std::span<const std::string> choice_;
  Parts parts_;
  TextLayout layout_;
  Cloud cloud_;
  Array<double> coordinates_;
  TextAttributes attributes_;
  bool may_count_rows_ = false;  // so far, the first column, which nothing names, is 0, 1, 2, ... or 1, 2, 3, ...
  std::int64_t first_number_ = 0;
  std::int64_t rows_ = 0;  // while may_count_rows_
};

}  // namespace

Cloud read_text(Input& input, const ReadOptions& options) { return TextReader(input, options).read(); }

}  // namespace kann::io
