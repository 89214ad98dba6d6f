#include "formats/text/text_layout.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <initializer_list>
#include <span>
#include <utility>

#include "base/letter_case.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view k_utf8_mark = "\xef\xbb\xbf";

/// In this order: in numbers separated by blanks or semicolons, a comma is a decimal comma.
constexpr Delimiter k_delimiters[] = {Delimiter::semicolon, Delimiter::comma, Delimiter::tab, Delimiter::blanks};

/// Words of units in lines under a header, in lower case.
constexpr std::array k_unit_words = {
    "deg"sv,     "degree"sv, "degrees"sv,  "°"sv,   "h"sv,    "hr"sv,    "hour"sv,   "hours"sv, "rad"sv,   "radian"sv,
    "radians"sv, "arcsec"sv, "arcmin"sv,   "mas"sv, "m"sv,    "mm"sv,    "cm"sv,     "km"sv,    "um"sv,    "µm"sv,
    "nm"sv,      "å"sv,      "angstrom"sv, "ft"sv,  "feet"sv, "us-ft"sv, "in"sv,     "px"sv,    "pixel"sv, "pixels"sv,
    "pix"sv,     "au"sv,     "pc"sv,       "kpc"sv, "mpc"sv,  "metre"sv, "metres"sv, "meter"sv, "meters"sv};

std::vector<std::string_view> split(std::string_view line, Separation separation) {
  std::vector<std::string_view> fields;
  Fields walk(line, separation);
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

std::vector<std::string_view> split_names(std::string_view line, Separation separation) {
  std::vector<std::string_view> names = split(line, separation);
  for (std::string_view& name : names) name = unquoted(name);
  return names;
}

/// Whether the fields are 0, 1, 2, ..., at least two of them; if `begins_empty`, they follow an empty one, and one is
/// enough. The last field may be empty. pandas writes such a line over columns without names, and the empty cell over
/// its index.
bool numbers_columns(std::string_view line, Separation separation, bool begins_empty) {
  Fields fields(line, separation);
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
bool is_header(std::string_view line, Separation separation) {
  if (numbers_columns(line, separation, true)) return true;
  const char first = trimmed(line).front();
  if (std::isdigit(static_cast<unsigned char>(first)) || first == '+' || first == '-' || first == '.') return false;
  bool has_name = false;
  Fields fields(line, separation);
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

/// Adds to `line` those into which its cells in quotes go on, with any delimiter.
void complete(Lines& lines, std::string_view& line) {
  for (const Delimiter d : k_delimiters) {
    Fields fields(line, d);
    std::string_view field, longer = line;
    for (;;) {
      while (fields.next(field) && !fields.open_quote()) continue;
      Lines more = lines;
      if (!fields.open_quote() || !more.extend_to_close(fields.open_quote(), k_text_line_bytes, longer)) break;
      fields.extend(longer);
      if (!fields.next(field) || !fields.in_quotes()) break;  // "a" b
      lines = more;
      line = longer;
    }
  }
}

/// The first lines that are not skipped: a count, a header, two lines of units or dashes, and a row.
std::vector<Line> first_lines(std::string_view text, bool has_quotes) {
  const std::size_t begin = start_of(text);
  std::vector<Line> found;
  Lines lines(text.substr(begin));
  std::size_t offset = begin;
  std::vector<Comment> comments;
  for (std::string_view line; found.size() < 5 && lines.next(line); offset = begin + lines.offset()) {
    if (!is_skipped(line)) {
      if (has_quotes) complete(lines, line);
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

bool has_chosen_name(const std::vector<std::string_view>& names, const ReadRequest& options) {
  return std::ranges::any_of(options.columns, [&](const std::string& text) {
    const ColumnChoice column = parse_column_choice(text).value();
    return column.number == 0 && std::ranges::count(names, column.name) > 0;
  });
}

/// Takes a comment as header if it is one. A comment with numbers is a row that is left out, or says something else.
void take_comment_header(TextLayout& layout, const Comment& comment, const ReadRequest& options) {
  const std::string_view text = comment_text(comment.text);
  for (const Delimiter d : k_delimiters) {
    std::vector<std::string_view> names = split_names(text, d);
    if (std::ranges::any_of(names, is_number)) continue;
    const std::vector<std::size_t> axes = named_axes(names, angles_of(options));
    if (names.size() != layout.table.count) {
      const bool are_first = !axes.empty() && axes[0] == 0 && axes[1] == 1 && axes.back() == axes.size() - 1;
      if (!axes.empty() && !are_first && layout.table.count > 3) layout.doubtful_comment = comment.line;
      continue;
    }
    if (axes.empty() && !has_chosen_name(names, options) && names.size() <= 3 && !has_angles(names)) continue;
    layout.table.names = std::move(names);
    layout.header_line = comment.line;
    layout.is_in_comment = true;
    return;
  }
}

/// Takes the last comment before the row that is a header, if there is one.
void take_comment_header(TextLayout& layout, const Line& row, const ReadRequest& options) {
  for (const Comment& comment : row.comments)
    if (layout.header_line == 0) take_comment_header(layout, comment, options);
}

bool has_comment_header(const Line& row, Separation separation, const ReadRequest& options) {
  TextLayout layout;
  layout.table.count = split(row.text, separation).size();
  take_comment_header(layout, row, options);
  return layout.header_line > 0;
}

void choose_axes(TextLayout& layout, const ReadRequest& options) {
  if (!options.columns.empty()) {
    layout.axes = find_chosen_axes(layout.table, options.columns);
  } else if (!layout.table.names.empty()) {
    layout.axes = named_axes(layout.table.names, angles_of(options));
  } else if (layout.table.count >= 2) {
    for (std::size_t column = 0; column < std::min<std::size_t>(3, layout.table.count); ++column)
      layout.axes.push_back(column);
  }
}

/// Whether the first row agrees with the delimiter and the axes. A row shorter than its header may, too; the reader
/// refuses that row.
bool fits(const TextLayout& layout, const std::vector<std::string_view>& fields) {
  const auto is_value = [&](std::string_view field) {
    return is_number(field) || (layout.has_decimal_commas && is_number(with_decimal_point(field)));
  };
  if (fields.size() < 2) return false;
  if (layout.axes.empty()) return fields.size() == layout.table.count && std::ranges::count_if(fields, is_value) >= 2;
  return std::ranges::all_of(layout.axes, [&](std::size_t axis) {
    return axis >= fields.size() || is_missing_value(fields[axis]) || is_value(fields[axis]);
  });
}

/// Whether commas in the coordinates of `rows` can only be decimal ones.
bool has_decimal_commas(std::string_view rows, const TextLayout& layout) {
  bool is_sure = false;
  Lines lines(rows);
  for (std::string_view line; lines.next(line);) {
    if (is_skipped(line)) continue;
    const std::vector<std::string_view> fields = split(line, layout.separation);
    for (const std::size_t axis : layout.axes) {
      const std::string_view field = axis < fields.size() ? fields[axis] : "";
      if (field.find('.') != std::string_view::npos && is_number(field)) return false;
      const std::size_t comma = field.find(',');
      if (comma == std::string_view::npos || !is_number(with_decimal_point(field))) continue;
      const std::string_view whole = field.substr(0, comma).substr(field.starts_with('-') || field.starts_with('+'));
      const bool may_be_thousands = field.size() == comma + 4 && whole.size() <= 3 && !whole.empty() && whole[0] != '0';
      is_sure |= !may_be_thousands;  // as 1,234
    }
  }
  return is_sure;
}

/// Whether the first column of the rows is that of their names, above which R has none. A number after which a comma
/// follows may as well begin a row that is too long, unless it is in quotes.
bool has_row_names(const std::vector<std::string_view>& names, const std::vector<std::string_view>& fields,
                   std::string_view row, Delimiter delimiter) {
  if (names.size() < 2 || fields.size() != names.size() + 1 || fields.back().empty()) return false;
  return delimiter == Delimiter::blanks || delimiter == Delimiter::tab || !is_coordinate(fields[0]) ||
         row.starts_with('"');
}

/// Whether a line under a header is one of dashes, as catalogues draw them.
bool is_of_dashes(std::string_view line) {
  return line.find("---") != std::string_view::npos && line.find_first_not_of("-=+|,; \t") == std::string_view::npos;
}

/// Whether these fields under a header are units: none is a number, and coordinates have the word of a unit or nothing.
bool are_units(const std::vector<std::string_view>& fields, const std::vector<std::string_view>& names,
               const ReadRequest& options) {
  if (fields.size() != names.size() || std::ranges::any_of(fields, is_number)) return false;
  const auto is_unit = [&](std::size_t axis) {
    return std::ranges::any_of(k_unit_words, [&](auto word) { return base::equal_in_any_case(word, fields[axis]); });
  };
  const std::vector<std::size_t> axes = options.columns.empty()
                                            ? named_axes(names, options.sky ? Angles::wanted : Angles::taken)
                                            : find_chosen_axes({"column", names.size(), names}, options.columns);
  return std::ranges::any_of(axes, is_unit) &&
         std::ranges::all_of(axes, [&](std::size_t axis) { return fields[axis].empty() || is_unit(axis); });
}

/// @param text the whole text, of which `lines` are the first lines after the one that ends at `start`
TextLayout layout_with(Separation by, std::string_view text, std::span<const Line> lines, std::size_t start,
                       std::int64_t lines_before, const ReadRequest& options) {
  TextLayout layout;
  layout.data = start;
  layout.lines_before = lines_before;
  layout.has_lines = true;
  layout.separation = by;
  const std::optional<bool> header = options.header;
  const bool numbers = numbers_columns(lines[0].text, by, false);
  const bool are_numbers = !numbers && std::ranges::all_of(split(lines[0].text, by), is_coordinate);
  const bool is_said = header == true && !are_numbers && !has_comment_header(lines[0], by, options);
  std::vector<std::string_view> names = split_names(lines[0].text, by);
  // Names such as 2CXO and 2019 look like numbers
  const bool names_axes = !named_axes(names, angles_of(options)).empty();
  const bool has_header = header.value_or(true) && (is_header(lines[0].text, by) || is_said || names_axes);
  std::size_t at = has_header ? 1 : 0;  // of the first row
  for (; has_header && at < std::min<std::size_t>(3, lines.size()); ++at) {
    std::vector<std::string_view> units = split(lines[at].text, by);
    for (std::string_view& unit : units)
      if (unit.starts_with('(') || unit.starts_with('[')) unit = unit.substr(1, unit.size() - 2);
    if (!is_of_dashes(lines[at].text)) {
      if (!layout.units.empty() || !are_units(units, names, options)) break;
      layout.units = std::move(units);
    }
  }
  const bool is_header_alone = at == lines.size();
  const Line& row = lines[is_header_alone ? 0 : at];
  std::vector<std::string_view> fields;
  if (!is_header_alone) fields = split(row.text, by);
  layout.ends_in_delimiter = (!has_header || numbers) && fields.size() == 4 && fields.back().empty();
  if (layout.ends_in_delimiter) fields.pop_back();
  layout.table.count = fields.size();
  layout.row_line = is_header_alone ? 0 : row.number;
  if (has_header) {
    layout.data = lines[at - 1].end;
    layout.lines_before = lines[at - 1].number;
    // GDAL ends the header with a delimiter, and not the rows
    if (names.size() == fields.size() + 1 && fields.size() > 1 && names.back().empty()) names.pop_back();
    if (has_row_names(names, fields, row.text, by.delimiter) && !numbers) {
      names.insert(names.begin(), std::string_view());
      if (!layout.units.empty()) layout.units.insert(layout.units.begin(), std::string_view());
    }
    const bool is_title = by.delimiter == Delimiter::blanks && !is_header_alone && names.size() != fields.size() &&
                          !names_axes && !has_chosen_name(names, options) && !numbers &&
                          !numbers_columns(lines[0].text, by, true);
    if (is_title) {
      layout.title = trimmed(lines[0].text);
    } else {
      if (!layout.ends_in_delimiter) layout.table.count = names.size();
      if (!numbers) layout.table.names = std::move(names);
      layout.header_line = lines[0].number;
    }
  }
  if (layout.header_line == 0 && header.value_or(true)) take_comment_header(layout, row, options);
  layout.is_doubtful_header = numbers && !header && layout.header_line == 0;
  choose_axes(layout, options);
  layout.has_decimal_commas = by.delimiter != Delimiter::comma && fields.size() > 1 &&
                              text.find(',') != std::string_view::npos &&
                              has_decimal_commas(text.substr(layout.data), layout);
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

std::string with_decimal_point(std::string_view field) {
  std::string other(field);
  for (char& c : other) c = c == ',' ? '.' : c == '.' ? ',' : c;
  return other;
}

bool begins_with_molecule(std::string_view text) {
  Lines lines(text.substr(start_of(text)));
  std::string_view line, comment;
  std::uint64_t count = 0;
  if (!lines.next(line) || parse_count(trimmed(line), count) != NumberFault::none) return false;
  if (!lines.next(comment) || !lines.next(line)) return false;
  const std::vector<std::string_view> fields = split(line, Delimiter::blanks);
  if (fields.size() < 4) return false;
  const bool is_word = !is_number(fields[0]) || !is_number(take_word(comment));  // LAMMPS numbers its types of atoms
  return is_word && std::all_of(&fields[1], &fields[4], is_number);
}

TextLayout guess_text_layout(std::string_view text, const ReadRequest& options) {
  const std::vector<Line> first = first_lines(text, options.quotes);
  if (first.empty()) return {};
  const std::span lines(first.data(), std::min<std::size_t>(4, first.size()));
  const auto with = [&](Delimiter d) {
    return layout_with({d, options.quotes}, text, lines, start_of(text), 0, options);
  };

  std::uint64_t count = 0;
  if (first.size() > 1 && parse_count(trimmed(first[0].text), count) == NumberFault::none)
    for (const Delimiter d : k_delimiters) {
      TextLayout layout =
          layout_with({d, options.quotes}, text, std::span(first).subspan(1), first[0].end, first[0].number, options);
      layout.stated_rows = count;
      const bool names_axes = layout.header_line > 0 && !layout.axes.empty();
      if (layout.is_certain && (names_axes || !begins_with_molecule(text))) return layout;
    }
  for (const Delimiter d : k_delimiters)
    if (TextLayout layout = with(d); layout.is_certain) return layout;
  for (const Delimiter d : k_delimiters) {
    const std::size_t fields = split(lines[0].text, {d, options.quotes}).size();
    if (lines.size() > 1 && fields > 1 && split(lines[1].text, {d, options.quotes}).size() == fields) return with(d);
  }
  // The comma is tried last: in numbers separated by blanks or semicolons it is a decimal comma.
  for (const Delimiter d : {Delimiter::semicolon, Delimiter::tab, Delimiter::blanks, Delimiter::comma})
    if (TextLayout layout = with(d); layout.table.count >= 2) return layout;
  return with(Delimiter::blanks);
}

}  // namespace kann::formats
