#include "formats/text/text_layout.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>

#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_utf8_mark = "\xef\xbb\xbf";

/// In this order: in numbers separated by blanks or semicolons, a comma is a decimal comma.
constexpr Delimiter k_delimiters[] = {Delimiter::semicolon, Delimiter::comma, Delimiter::tab, Delimiter::blanks};

/// What says which columns are coordinates.
struct Choice {
  std::span<const std::string> columns;
  Angles angles;
};

std::vector<std::string_view> split(std::string_view line, Delimiter delimiter) {
  std::vector<std::string_view> fields;
  Fields walk(line, delimiter);
  for (std::string_view field; walk.next(field);) fields.push_back(field);
  return fields;
}

bool is_number(std::string_view field) {
  double value = 0;
  return parse_number(field, value) != NumberFault::not_a_number;
}

bool is_coordinate(std::string_view field) { return is_missing_value(field) || is_number(field); }

/// `name` without quotes around it.
std::string_view unquoted(std::string_view name) {
  const bool is_quoted =
      name.size() >= 2 && (name.front() == '"' || name.front() == '\'') && name.front() == name.back();
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

std::vector<std::string_view> split_names(std::string_view line, Delimiter delimiter) {
  std::vector<std::string_view> names = split(line, delimiter);
  for (std::string_view& name : names) name = unquoted(name);
  return names;
}

/// Whether the fields are 0, 1, 2, ..., at least two of them; if `begins_empty`, they follow an empty one, and one is
/// enough. The last field may be empty. pandas writes such a line over columns without names, and the empty cell over
/// its index.
bool numbers_columns(std::string_view line, Delimiter delimiter, bool begins_empty) {
  Fields fields(line, delimiter);
  std::string_view field;
  if (begins_empty && (!fields.next(field) || !unquoted(field).empty())) return false;
  std::size_t columns = 0;
  for (; fields.next(field); ++columns) {
    if (field.empty() && columns > 0) return !fields.next(field) && columns >= (begins_empty ? 1 : 2);
    if (field != fmt::format_int(columns).c_str()) return false;
  }
  return columns >= (begins_empty ? 1 : 2);
}

/// Whether a line has names but no number or missing value, and does not start like a number: a faulty first row is not
/// a header. Names may be empty, like that of pandas' index. A line that numbers the columns after an empty cell is a
/// header, too.
bool is_header(std::string_view line, Delimiter delimiter) {
  if (numbers_columns(line, delimiter, true)) return true;
  const char first = trimmed(line).front();
  if (std::isdigit(static_cast<unsigned char>(first)) || first == '+' || first == '-' || first == '.') return false;
  bool has_name = false;
  Fields fields(line, delimiter);
  for (std::string_view field; fields.next(field);) {
    if (!field.empty() && is_coordinate(field)) return false;
    has_name |= !field.empty();
  }
  return has_name;
}

struct Comment {
  std::string_view text;
  std::int64_t line;
};

struct Line {
  std::string_view text;
  std::size_t begin, end;  // offsets in the file; the end is that of the line end
  std::int64_t number;
  std::vector<Comment> comments;  // between it and the row before it, the last first
};

/// The offset of the first line.
std::size_t start_of(std::string_view text) { return text.starts_with(k_utf8_mark) ? k_utf8_mark.size() : 0; }

/// The first two lines that are not skipped.
std::vector<Line> first_lines(std::string_view text) {
  const std::size_t begin = start_of(text);
  std::vector<Line> found;
  Lines lines(text.substr(begin));
  std::size_t offset = begin;
  std::vector<Comment> comments;
  for (std::string_view line; found.size() < 2 && lines.next(line); offset = begin + lines.offset()) {
    if (!is_skipped(line)) {
      std::ranges::reverse(comments);
      found.push_back({line, offset, begin + lines.offset(), lines.number(), std::exchange(comments, {})});
    } else if (const std::string_view words = trimmed(line); !words.empty()) {
      comments.push_back({words, lines.number()});
    }
  }
  return found;
}

/// The text of a comment without # or //.
std::string_view comment_text(std::string_view comment) {
  const char mark = comment.front();
  while (!comment.empty() && comment.front() == mark) comment.remove_prefix(1);
  return trimmed(comment);
}

bool has_chosen_name(const std::vector<std::string_view>& names, Choice choice) {
  return std::ranges::any_of(choice.columns, [&](const std::string& text) {
    const ColumnChoice column = parse_column_choice(text).value();
    return column.number == 0 && std::ranges::count(names, column.name) > 0;
  });
}

/// Takes a comment as header if it is one. A comment with numbers is a row that is left out, or says something else.
void take_comment_header(TextLayout& layout, const Comment& comment, Choice choice) {
  const std::string_view text = comment_text(comment.text);
  for (const Delimiter d : k_delimiters) {
    std::vector<std::string_view> names = split_names(text, d);
    if (std::ranges::any_of(names, is_number)) continue;
    const std::vector<std::size_t> axes = named_axes(names, choice.angles);
    if (names.size() != layout.table.count) {
      const bool are_first = !axes.empty() && axes[0] == 0 && axes[1] == 1 && axes.back() == axes.size() - 1;
      if (!axes.empty() && !are_first && layout.table.count > 3) layout.doubtful_comment = comment.line;
      continue;
    }
    if (axes.empty() && !has_chosen_name(names, choice) && names.size() <= 3 && !has_angles(names)) continue;
    layout.table.names = std::move(names);
    layout.header_line = comment.line;
    layout.is_in_comment = true;
    return;
  }
}

/// Takes the last comment before the row that is a header, if there is one.
void take_comment_header(TextLayout& layout, const Line& row, Choice choice) {
  for (const Comment& comment : row.comments)
    if (layout.header_line == 0) take_comment_header(layout, comment, choice);
}

bool has_comment_header(const Line& row, Delimiter delimiter, Choice choice) {
  TextLayout layout;
  layout.table.count = split(row.text, delimiter).size();
  take_comment_header(layout, row, choice);
  return layout.header_line > 0;
}

void choose_axes(TextLayout& layout, Choice choice) {
  if (!choice.columns.empty()) {
    layout.axes = find_chosen_axes(layout.table, choice.columns);
  } else if (!layout.table.names.empty()) {
    layout.axes = named_axes(layout.table.names, choice.angles);
  } else if (layout.table.count >= 2) {
    for (std::size_t column = 0; column < std::min<std::size_t>(3, layout.table.count); ++column)
      layout.axes.push_back(column);
  }
}

/// Whether the first row agrees with the delimiter and the axes. A row shorter than its header may, too; the reader
/// refuses that row.
bool fits(const TextLayout& layout, const std::vector<std::string_view>& fields) {
  if (fields.size() < 2) return false;
  if (layout.axes.empty()) return fields.size() == layout.table.count && std::ranges::count_if(fields, is_number) >= 2;
  return std::ranges::all_of(layout.axes,
                             [&](std::size_t axis) { return axis >= fields.size() || is_coordinate(fields[axis]); });
}

/// Whether the first column of the rows is that of their names, above which R has none. A number after which a comma
/// follows may as well begin a row that is too long.
bool has_row_names(const std::vector<std::string_view>& names, const std::vector<std::string_view>& fields,
                   Delimiter delimiter) {
  if (names.size() < 2 || fields.size() != names.size() + 1 || fields.back().empty()) return false;
  return delimiter == Delimiter::blanks || delimiter == Delimiter::tab || !is_coordinate(fields[0]);
}

TextLayout layout_with(Delimiter delimiter, const std::vector<Line>& lines, std::size_t start, Choice choice,
                       std::optional<bool> header) {
  TextLayout layout;
  layout.data = start;
  layout.has_lines = true;
  layout.delimiter = delimiter;
  const bool numbers = numbers_columns(lines[0].text, delimiter, false);
  const bool are_numbers = !numbers && std::ranges::all_of(split(lines[0].text, delimiter), is_coordinate);
  const bool is_said = header == true && !are_numbers && !has_comment_header(lines[0], delimiter, choice);
  // Names such as 2CXO and 2019 look like numbers
  const bool names_axes = !named_axes(split_names(lines[0].text, delimiter), choice.angles).empty();
  const bool has_header = header.value_or(true) && (is_header(lines[0].text, delimiter) || is_said || names_axes);
  const bool is_header_alone = has_header && lines.size() == 1;
  const Line& row = lines[has_header && !is_header_alone ? 1 : 0];
  std::vector<std::string_view> fields;
  if (!is_header_alone) fields = split(row.text, delimiter);
  layout.ends_in_delimiter = (!has_header || numbers) && fields.size() == 4 && fields.back().empty();
  if (layout.ends_in_delimiter) fields.pop_back();
  layout.table.count = fields.size();
  layout.row_line = is_header_alone ? 0 : row.number;
  if (has_header) {
    layout.data = lines[0].end;
    layout.lines_before = lines[0].number;
    std::vector<std::string_view> names = split_names(lines[0].text, delimiter);
    // GDAL ends the header with a delimiter, and not the rows
    if (names.size() == fields.size() + 1 && fields.size() > 1 && names.back().empty()) names.pop_back();
    if (has_row_names(names, fields, delimiter) && !numbers) names.insert(names.begin(), std::string_view());
    const bool is_title = delimiter == Delimiter::blanks && !is_header_alone && names.size() != fields.size() &&
                          named_axes(names, choice.angles).empty() && !has_chosen_name(names, choice) && !numbers &&
                          !numbers_columns(lines[0].text, delimiter, true);
    if (is_title) {
      layout.title = trimmed(lines[0].text);
    } else {
      if (!layout.ends_in_delimiter) layout.table.count = names.size();
      if (!numbers) layout.table.names = std::move(names);
      layout.header_line = lines[0].number;
    }
  }
  if (layout.header_line == 0 && header.value_or(true)) take_comment_header(layout, row, choice);
  layout.is_doubtful_header = numbers && !header && layout.header_line == 0;
  choose_axes(layout, choice);
  layout.is_certain = is_header_alone ? !layout.axes.empty() : fits(layout, fields);
  return layout;
}

}  // namespace

bool is_skipped(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.empty() || text.front() == '#' || text.starts_with("//");
}

bool is_missing_value(std::string_view field) {
  return field.empty() || field == "NA" || field == "null" || field == "NULL";
}

bool begins_with_count(std::string_view text) {
  const std::vector<Line> lines = first_lines(text);
  std::uint64_t count = 0;
  return lines.size() == 2 && parse_count(trimmed(lines[0].text), count) == NumberFault::none &&
         guess_text_layout(text.substr(lines[1].begin)).is_certain;
}

bool begins_with_molecule(std::string_view text) {
  Lines lines(text.substr(start_of(text)));
  std::string_view line;
  std::uint64_t count = 0;
  if (!lines.next(line) || parse_count(trimmed(line), count) != NumberFault::none) return false;
  if (!lines.next(line) || !lines.next(line)) return false;
  const std::vector<std::string_view> fields = split(line, Delimiter::blanks);
  return fields.size() >= 4 && !is_number(fields[0]) && std::all_of(&fields[1], &fields[4], is_number);
}

TextLayout guess_text_layout(std::string_view text, std::span<const std::string> columns, std::optional<bool> header,
                             Angles angles) {
  const Choice choice{columns, angles};
  const std::vector<Line> lines = first_lines(text);
  if (lines.empty()) return {};
  const std::size_t start = start_of(text);

  for (const Delimiter d : k_delimiters)
    if (TextLayout layout = layout_with(d, lines, start, choice, header); layout.is_certain) return layout;
  // The comma is tried last: in numbers separated by blanks or semicolons it is a decimal comma.
  for (const Delimiter d : {Delimiter::semicolon, Delimiter::tab, Delimiter::blanks, Delimiter::comma})
    if (TextLayout layout = layout_with(d, lines, start, choice, header); layout.table.count >= 2) return layout;
  return layout_with(Delimiter::blanks, lines, start, choice, header);
}

}  // namespace kann::formats
