// Reads text files row by row, in the layout that text_layout.hpp guesses. The file is not held as a whole, but in
// parts of 4 MiB, so that 10⁷ rows take 0.25 GB and not 0.5, and an endless file without points ends with an error.
#include "formats/text/text_reader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <utility>

#include "formats/files/refusal.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/lists.hpp"
#include "formats/table/number.hpp"
#include "formats/table/row_marks.hpp"
#include "formats/text/text_attributes.hpp"
#include "formats/text/text_layout.hpp"
#include "formats/text/text_rows.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_first_coordinates = 3 * 1024;  // numbers
constexpr std::int64_t k_counted_rows = 16;            // if so many are numbered, that is no chance

/// The parts of a text file, cut at line ends.
class Parts {
 public:
  explicit Parts(Input& input) : input_(input) {}

  /// The next part; empty at the end. The part before it is no longer valid.
  /// @throws Error bad_input (NUL, a line that is too long, read error), resources.
  std::string_view next() {
    const std::string_view held = input_.slide(taken_, k_text_part_bytes);
    begin_ += taken_;
    if (const std::size_t nul = held.find('\0'); nul != std::string_view::npos)
      refuse_line(input_.name(), lines_ + 1 + std::ranges::count(held.substr(0, nul), '\n'), "NUL byte in the text");
    taken_ = input_.is_at_end() ? held.size() : held.rfind('\n') + 1;  // npos + 1 is 0
    if (taken_ == 0 && !held.empty()) refuse_long_line(input_.name(), lines_ + 1);
    return held.substr(0, taken_);
  }

  /// Offset in the file of the part that next() has returned last.
  std::size_t begin() const { return begin_; }

  /// Makes the next part begin with what the last has from `offset` on, and says how many lines are before it.
  void end_at(std::size_t offset, std::int64_t lines) {
    taken_ = offset;
    lines_ = lines;
  }

 private:
  Input& input_;
  std::size_t begin_ = 0;
  std::size_t taken_ = 0;   // how many of the bytes held next() has returned
  std::int64_t lines_ = 0;  // before the bytes that are held
};

/// What a text file says before its points are kept.
struct ReadText {
  Cloud cloud;  ///< without points and attributes
  TextLayout layout;
  TextAttributes attributes;
};

/// Calls take(offset, lines, point, attributes) for every row, with the offset in the file of its line, the number of
/// lines before it, and the attributes of all rows so far.
template <class Take>
class TextReader {
 public:
  TextReader(Input& input, const ReadRequest& options, std::span<const std::size_t> text_columns, Take take)
      : input_(input),
        file_(input.name()),
        options_(options),
        text_columns_(text_columns),
        choice_(options.columns),
        parts_(input),
        take_(take) {}

  /// @param keeps whether the texts of spelled columns are kept
  /// @param is_head only the first part is read
  ReadText read(bool keeps, bool is_head = false) {
    std::string_view part = parts_.next();
    layout_ = guess_text_layout(part, options_);
    check_start(part);
    choose_axes(part);
    attributes_ = TextAttributes(layout_, options_, text_columns_, file_, cloud_.warnings);
    Lines lines(part.substr(layout_.data), layout_.lines_before);
    for (std::size_t begin = layout_.data, before = begin;; begin = parts_.begin(), before = 0) {
      if (keeps)
        attributes_.keep_part(part, input_.expected_size());
      else
        attributes_.begin_part(part, 0);
      read_rows(lines, begin);
      if (input_.is_at_end() || is_head) break;
      if (keeps && parts_.begin() == 0) attributes_.reserve(rows_of_file(part.size()));
      parts_.end_at(before + lines.offset(), lines.number());
      part = parts_.next();
      lines = Lines(part, lines.number());
    }
    attributes_.set_row_bytes(static_cast<double>(parts_.begin() + part.size()) /
                              static_cast<double>(std::max<std::int64_t>(rows_, 1)));
    if (layout_.stated_rows && !is_head && *layout_.stated_rows != static_cast<std::uint64_t>(rows_))
      refuse(file_, fmt::format("the first line says {} rows, and {} follow", *layout_.stated_rows, rows_));
    if (may_count_rows_ && rows_ >= k_counted_rows)
      cloud_.warnings.push_back(
          fmt::format("{}: column 1 numbers the rows ({}, {}, ...) and is taken as x; if it is an index, use {} 2,3{}",
                      file_, first_number_, first_number_ + 1, options_.columns_option, options_.columns_note));
    layout_.table.names.clear();  // they are no longer held, nor are title and units
    layout_.title = {};
    layout_.units.clear();
    return {std::move(cloud_), std::move(layout_), std::move(attributes_)};
  }

 private:
  /// Refuses a file that has no points, one with more than a first part but no row in that, and a line that is too
  /// long.
  void check_start(std::string_view part) const {
    if (!input_.is_at_end() && layout_.row_line == 0)
      refuse(file_, fmt::format("no point in the first {} bytes", k_text_part_bytes));
    Lines before(part.substr(0, layout_.data));
    for (std::string_view line; before.next(line);) {
      if (line.size() > k_text_line_bytes) refuse_long_line(file_, before.number());
      if (line.find('\r') != std::string_view::npos)
        refuse_line(file_, before.number(), "a carriage return without a line feed; convert the line ends");
    }
  }

  /// Chooses the columns of the coordinates; refuses a file in which nothing says which these are. Must be called while
  /// the first part is held: the layout's names lie in it.
  void choose_axes(std::string_view part) {
    const TableColumns& table = layout_.table;
    if (!layout_.has_lines) {  // as numpy.savetxt() writes no points
      const std::size_t dimensions = options_.sky ? 2 : choice_.empty() ? 3 : choice_.size();
      for (std::size_t axis = 0; axis < dimensions; ++axis) layout_.axes.push_back(axis);
      layout_.table.count = dimensions;
      return;
    }
    check_header();
    if (!choice_.empty()) {
      layout_.axes = chosen_axes(table, options_, file_);
      cloud_.columns.assign(choice_.begin(), choice_.end());
    } else if (!table.names.empty()) {
      if (angles_of(options_) == Angles::refused) refuse_angles(table.names, file_);
      if (layout_.axes.empty())
        refuse_line(file_, layout_.header_line,
                    fmt::format("the header{} does not say which columns are {}: {}; name them, or give their numbers "
                                "from 1, with {}{}",
                                layout_.is_in_comment ? " in this comment" : "", coordinate_names(options_.sky),
                                list_of(table.names), options_.columns_option, options_.columns_note));
      for (const std::size_t axis : layout_.axes) cloud_.columns.emplace_back(table.names[axis]);
    } else if (layout_.doubtful_comment > 0) {
      refuse_line(file_, layout_.doubtful_comment,
                  fmt::format("this comment names x and y, but not all of the {} columns of the rows; say which are "
                              "coordinates, by their numbers from 1, with {}{}",
                              table.count, options_.columns_option, options_.columns_note));
    } else if (table.count < 2) {
      refuse_line(
          file_, layout_.row_line,
          std::string("row has 1 column (need 2 or more)") +
              (begins_with_molecule(part) ? "; a molecule? remove two lines (tail -n +3) and use --columns 2,3,4"
                                          : ""));
    } else if (table.count > 3) {
      refuse_line(file_, layout_.row_line,
                  fmt::format("row has {} columns without names; say which are coordinates, e.g. {} 1,2,3{}",
                              table.count, options_.columns_option, options_.columns_note));
    } else {
      may_count_rows_ = table.count == 3;
    }
    if (!layout_.units.empty()) keep_units();
    if (!layout_.title.empty())
      cloud_.warnings.push_back(fmt::format("{}: line {} is taken as a title, not as names of columns: {}", file_,
                                            layout_.lines_before, quote(layout_.title)));
  }

  void keep_units() {
    for (const std::size_t axis : layout_.axes) {
      const std::string_view unit = layout_.units[axis];
      cloud_.units.emplace_back(unit);
      const std::optional<double> degrees = degrees_of_unit(unit);
      const bool is_wrong = !degrees || (degrees == degrees_of_unit("h") && axis == layout_.axes[1]);
      if (options_.sky && !unit.empty() && is_wrong)
        refuse_line(file_, layout_.header_line + 1,
                    fmt::format("column {} has the unit {}; --sky takes degrees, hours of longitude and radians",
                                axis + 1, quote(unit)));
    }
  }

  /// Refuses a first line that may be a header or a point, or that is no header although the user says so.
  void check_header() const {
    if (layout_.is_doubtful_header)
      refuse_line(
          file_, layout_.row_line,
          "0, 1, 2, ... is a point, or the numbers of the columns; say which, with --header no or --header yes");
    if (options_.header == true && layout_.header_line == 0)
      refuse_line(file_, layout_.row_line, "--header yes: this line does not name the columns");
  }

  /// Reads rows up to the end of `lines`, or to a row that does not end there.
  void read_rows(Lines& lines, std::size_t begin) {
    TextRows rows(layout_, file_);
    std::array<double, 3> point{};
    for (; rows.next(lines); ++rows_) {
      rows.read(point, attributes_);
      if (may_count_rows_) check_row_number(point[0]);
      take_(begin + rows.offset(), rows.line() - 1, std::span(point).first(layout_.axes.size()), attributes_);
    }
    if (rows.is_cut() && input_.is_at_end()) rows.refuse_cut();
  }

  /// How many rows the file has, if all are as long as those of the first part, with a little room for others.
  std::size_t rows_of_file(std::size_t first_part) const {
    const double parts = static_cast<double>(input_.expected_size()) / static_cast<double>(first_part);
    return static_cast<std::size_t>(1.02 * parts * static_cast<double>(rows_));
  }

  void check_row_number(double value) {
    if (rows_ == 0) first_number_ = value == 0 ? 0 : 1;
    may_count_rows_ = value == static_cast<double>(first_number_ + rows_);
  }

  Input& input_;
  const std::string& file_;
  const ReadRequest& options_;
  const std::span<const std::size_t> text_columns_;
  const std::span<const std::string> choice_;
  Parts parts_;
  Take take_;
  TextLayout layout_;
  Cloud cloud_;
  TextAttributes attributes_;
  bool may_count_rows_ = false;  // so far, the first of three columns without names is 0, 1, 2, ... or 1, 2, 3, ...
  std::int64_t first_number_ = 0;
  std::int64_t rows_ = 0;
};

void grow(Array<double>& coordinates, const std::string& file) {
  const std::size_t capacity = std::max(k_first_coordinates, 2 * coordinates.capacity());
  base::check_host_memory(static_cast<double>(capacity * sizeof(double)), file.c_str());
  coordinates.reserve(capacity);
}

/// Returns what `read` returns, which reads the input with these columns as text. Where it finds text after numbers, it
/// is called again.
ReadText with_texts(Input& input, const std::function<ReadText(std::span<const std::size_t>)>& read) {
  std::vector<std::size_t> text_columns;
  while (true) {
    ReadText text = read(text_columns);
    const std::vector<LateText>& late = text.attributes.late_texts();
    if (late.empty()) return text;
    if (!input.begin_again())
      refuse_line(
          input.name(), late[0].line,
          fmt::format("column {} is text, but was numbers so far: it has to be read again, which a pipe cannot; "
                      "give a file",
                      late[0].column + 1));
    for (const LateText& column : late) text_columns.push_back(column.column);
  }
}

}  // namespace

CloudEstimate TextTable::estimate() const {
  const std::string_view head = input_->head();
  const std::uint64_t bytes = input_->expected_size();
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(head, '\n'));
  const std::uint64_t row_bytes = lines == 0 ? head.size() : head.size() / lines;
  return {static_cast<std::int64_t>(bytes / row_bytes), guess_text_layout(head, options_).axes.size() == 2 ? 2 : 3,
          true, static_cast<double>(std::min<std::uint64_t>(bytes, k_text_part_bytes))};
}

Cloud TextTable::read() const {
  Input& input = *input_;
  Array<double> coordinates;
  ReadText text = with_texts(input, [&](std::span<const std::size_t> text_columns) {
    coordinates.clear();
    return TextReader(input, options_, text_columns,
                      [&](std::size_t, std::int64_t, std::span<const double> point, TextAttributes&) {
                        if (coordinates.size() + point.size() > coordinates.capacity()) grow(coordinates, input.name());
                        coordinates.insert(coordinates.end(), point.begin(), point.end());
                      })
        .read(true);
  });
  text.attributes.move_to(text.cloud);
  text.cloud.points = Points{static_cast<int>(text.layout.axes.size()), std::move(coordinates)};
  return std::move(text.cloud);
}

RowsInHead TextTable::in_head() const {
  Input& input = *input_;
  ReadText text = with_texts(input, [&](std::span<const std::size_t> text_columns) {
    const auto pass = [](std::size_t, std::int64_t, std::span<const double>, TextAttributes&) {};
    return TextReader(input, options_, text_columns, pass).read(false, true);
  });
  text.attributes.drop_values();
  text.attributes.move_to(text.cloud);
  text.cloud.points.dimensions = static_cast<int>(text.layout.axes.size());
  return {false, false, std::move(text.cloud)};
}

RowCloud TextTable::rows() const {
  RowMarks marks;
  Input once(input_->name());  // an input that is read part by part does not keep its head
  auto [without_rows, layout, attributes] = with_texts(once, [&](std::span<const std::size_t> text_columns) {
    marks = {};
    return TextReader(once, options_, text_columns,
                      [&](std::size_t offset, std::int64_t lines, std::span<const double>, TextAttributes& so_far) {
                        if (marks.note(offset, lines)) so_far.drop_values();
                      })
        .read(false);
  });
  marks.finish(input_->expected_size());
  attributes.drop_values();
  TextAttributes known = attributes.known(input_->name());
  attributes.move_to(without_rows);
  RowCloud cloud{.warnings = std::exchange(without_rows.warnings, {})};
  cloud.rows = text_ranges(input_, std::move(layout), std::move(marks), std::move(without_rows), std::move(known),
                           options_.threads);
  return cloud;
}

}  // namespace kann::formats
