#include "io/points/text_layout.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "io/points/lines.hpp"
#include "io/points/number.hpp"

namespace kann::io {
namespace {

constexpr std::string_view k_utf8_mark = "\xef\xbb\xbf";

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

/// `name` without quotes around it.
std::string_view unquoted(std::string_view name) {
  const bool is_quoted =
      name.size() > 2 && (name.front() == '"' || name.front() == '\'') && name.front() == name.back();
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

/// Whether the column called `name` is `axis`: "x", "X" or, in quotes, "\"x\"".
bool is_axis(std::string_view name, char axis) {
  name = unquoted(name);
  return name.size() == 1 && std::tolower(static_cast<unsigned char>(name[0])) == axis;
}

/// The columns called x, y and z. Empty if x or y is missing.
std::vector<std::int64_t> named_axes(const std::vector<std::string_view>& names) {
  std::vector<std::int64_t> axes;
  for (const char axis : {'x', 'y', 'z'}) {
    const auto found = std::ranges::find_if(names, [axis](std::string_view name) { return is_axis(name, axis); });
    if (found != names.end())
      axes.push_back(found - names.begin());
    else if (axis != 'z')
      return {};
  }
  return axes;
}

/// Whether a line holds no number and does not start like one: a faulty first row is not a header.
bool is_header(std::string_view line, Delimiter delimiter) {
  const char first = trimmed(line).front();
  return !std::isdigit(static_cast<unsigned char>(first)) && first != '+' && first != '-' && first != '.' &&
         std::ranges::none_of(split(line, delimiter), is_number);
}

struct Line {
  std::string_view text;
  std::size_t begin;  // offset in the file
  std::int64_t lines_before;
};

/// The first two lines that are not skipped.
std::vector<Line> first_lines(std::string_view text) {
  const std::size_t begin = text.starts_with(k_utf8_mark) ? k_utf8_mark.size() : 0;
  std::vector<Line> found;
  Lines lines(text.substr(begin));
  std::size_t offset = begin;
  for (std::string_view line; found.size() < 2 && lines.next(line); offset = begin + lines.offset())
    if (!is_skipped(line)) found.push_back({line, offset, lines.number() - 1});
  return found;
}

TextLayout layout_with(Delimiter delimiter, const std::vector<Line>& lines) {
  TextLayout layout;
  layout.delimiter = delimiter;
  const bool has_header = is_header(lines[0].text, delimiter);
  if (lines.size() == (has_header ? 1 : 0)) return layout;

  const Line& row = lines[has_header ? 1 : 0];
  const std::vector<std::string_view> fields = split(row.text, delimiter);
  layout.columns = static_cast<std::int64_t>(fields.size());
  layout.data = row.begin;
  layout.lines_before = row.lines_before;
  std::vector<std::string_view> names;
  if (has_header) {
    names = split(lines[0].text, delimiter);
    layout.axes = named_axes(names);
    layout.names_axes = !layout.axes.empty();
    const bool is_title = delimiter == Delimiter::blanks && layout.axes.empty() && names.size() != fields.size();
    if (!is_title) {
      layout.columns = static_cast<std::int64_t>(names.size());
      layout.header_line = lines[0].lines_before + 1;
    }
  }
  if (layout.axes.empty())
    for (std::int64_t column = 0; column < std::min<std::int64_t>(3, layout.columns); ++column)
      layout.axes.push_back(column);
  if (layout.header_line > 0)
    for (const std::int64_t column : layout.axes) layout.names.push_back(unquoted(names[column]));
  // A row shorter than its header shows the delimiter, too; the reader refuses that row.
  const auto is_absent_or_number = [&](std::int64_t column) {
    return column >= static_cast<std::int64_t>(fields.size()) || is_number(fields[column]);
  };
  layout.is_certain =
      layout.axes.size() >= 2 && fields.size() >= 2 && std::ranges::all_of(layout.axes, is_absent_or_number);
  return layout;
}

}  // namespace

Fields::Fields(std::string_view line, Delimiter delimiter)
    : rest_(line), delimiter_(delimiter), is_done_(delimiter == Delimiter::blanks && trimmed(line).empty()) {}

bool Fields::next(std::string_view& field) {
  if (is_done_) return false;
  if (delimiter_ == Delimiter::blanks) {
    field = take_word(rest_);
    return !field.empty();
  }
  const std::size_t end = rest_.find(static_cast<char>(delimiter_));
  field = trimmed(rest_.substr(0, end));
  is_done_ = end == std::string_view::npos;
  if (!is_done_) rest_.remove_prefix(end + 1);
  return true;
}

bool is_skipped(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.empty() || text.front() == '#' || text.starts_with("//");
}

bool begins_with_count(std::string_view text) {
  const std::vector<Line> lines = first_lines(text);
  std::uint64_t count = 0;
  return lines.size() == 2 && parse_count(trimmed(lines[0].text), count) == NumberFault::none &&
         guess_text_layout(text.substr(lines[1].begin)).is_certain;
}

TextLayout guess_text_layout(std::string_view text) {
  const std::vector<Line> lines = first_lines(text);
  if (lines.empty()) return {};

  for (const Delimiter d : {Delimiter::semicolon, Delimiter::comma, Delimiter::tab, Delimiter::blanks})
    if (TextLayout layout = layout_with(d, lines); layout.is_certain) return layout;
  // The comma is tried last: in numbers separated by blanks or semicolons it is a decimal comma.
  for (const Delimiter d : {Delimiter::semicolon, Delimiter::tab, Delimiter::blanks, Delimiter::comma})
    if (TextLayout layout = layout_with(d, lines); layout.columns >= 2) return layout;
  return layout_with(Delimiter::blanks, lines);
}

}  // namespace kann::io
