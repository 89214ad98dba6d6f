#include "formats/text/csv_cells.hpp"

#include <algorithm>
#include <utility>

#include "formats/table/lines.hpp"
#include "formats/table/number.hpp"
#include "formats/table/ordered_blocks.hpp"

namespace kann::formats {
namespace {

/// Appends a text in quotes, its own ones doubled.
char* put_in_quotes(char* out, std::string_view text) {
  *out++ = '"';
  for (const char c : text) {
    if (c == '"') *out++ = '"';
    *out++ = c;
  }
  *out++ = '"';
  return out;
}

/// Begins to fetch the value of a line that follows `line`, or where that is already here, its text.
void fetch(const CellColumn& column, std::int64_t line) {
  const auto row_of = [&](std::int64_t later) {  // −1: there is none
    return later < std::ssize(column.rows) ? column.rows[static_cast<std::size_t>(later)] : -1;
  };
  if (const std::int64_t row = row_of(line + 40); row >= 0)
    std::visit([&](const auto* values) { __builtin_prefetch(values + row * column.stride); }, column.values);
  if (const std::int64_t row = row_of(line + 16); row >= 0 && column.texts)
    __builtin_prefetch(column.texts->at(std::get<const std::int64_t*>(column.values)[row]).data());
}

/// Writes the value `row` of a column, or nothing for −1. Returns the end.
char* put_cell(char* out, const CellColumn& column, std::int64_t row, std::string_view nan) {
  if (row < 0) return out;
  if (column.texts) {
    const std::int64_t value = std::get<const std::int64_t*>(column.values)[row];
    const std::string_view text = column.texts->at(value);
    if (value & Texts::k_needs_quotes) return put_in_quotes(out, text);
    if (value & Texts::k_in_quotes) *out++ = '"';
    out = std::ranges::copy(text, out).out;
    if (value & Texts::k_in_quotes) *out++ = '"';
    return out;
  }
  return std::visit(
      [&]<class T>(const T* values) {
        const T value = values[row * column.stride];
        if constexpr (std::is_floating_point_v<T>) {
          if (std::isnan(value)) return std::ranges::copy(nan, out).out;
          if (column.decimals)
            return std::to_chars(out, out + k_longest_number, value, std::chars_format::fixed, *column.decimals).ptr;
        }
        return std::to_chars(out, out + k_longest_number, value).ptr;
      },
      column.values);
}

}  // namespace

std::string header_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  double number = 0;
  if (name.empty() || parse_number(name, number) != NumberFault::not_a_number || name == "NA" || name == "null" ||
      name == "NULL")
    name = "column_" + name;
  return name;
}

std::string header_cell(const std::string& name) {
  std::string cell = header_name(name);
  if (cell.find_first_of(",;\" \t'#") == std::string::npos) return cell;
  std::string quoted(2 * cell.size() + 2, ' ');
  quoted.resize(static_cast<std::size_t>(put_in_quotes(quoted.data(), cell) - quoted.data()));
  return quoted;
}

bool needs_quotes(std::string_view text) {
  const auto is_special = [](char c) {
    return c == ',' || c == ';' || c == '\t' || c == '"' || c == '\r' || c == '\n';
  };
  if (text.empty()) return false;
  return std::ranges::any_of(text, is_special) || is_blank(text.front()) || is_blank(text.back()) ||
         text.front() == '#' || text.starts_with("//");
}

CellColumn column_of(const Attribute& attribute) {
  CellColumn column{attribute.name, {}};
  std::visit([&](const auto& values) { column.values = values.data(); }, attribute.values);
  if (!attribute.texts) return column;
  column.texts = attribute.texts.get();
  column.longest_cell = 0;
  for (const std::int64_t value : std::get<Array<std::int64_t>>(attribute.values))
    column.longest_cell = std::max(column.longest_cell, column.texts->at(value).size());
  column.longest_cell = 2 * column.longest_cell + 2;  // all of them quotes
  return column;
}

CellColumn column_of(const PointsView& points, int axis, std::string name) {
  CellColumn column{std::move(name), {}, points.dimensions};
  std::visit([&](auto values) { column.values = values.data() + axis; }, points.coordinates);
  return column;
}

void write_cells(const CellLines& lines, ByteSink& sink, int threads) {
  std::size_t longest = 3;  // the end of a line, and quotes
  for (const CellColumn& column : lines.columns) longest += column.longest_cell + 1;
  const auto is_scattered = [](const CellColumn& column) { return column.is_scattered; };  // these are side by side
  const auto first = std::ranges::find_if(lines.columns, is_scattered);
  const std::span scattered(first, std::find_if_not(first, lines.columns.end(), is_scattered));
  const auto make = [lines, scattered](std::int64_t begin, std::int64_t end, char* out) {
    const auto [columns, count, all, delimiter, nan] = lines;  // copies, which are not read again after each byte
    for (std::int64_t line = begin; line < end; ++line) {
      for (const CellColumn& column : scattered) fetch(column, line);
      char* const begin_of_line = out;
      for (const CellColumn& column : columns) {
        out = put_cell(out, column, column.rows.empty() ? line : column.rows[static_cast<std::size_t>(line)], nan);
        *out++ = delimiter;
      }
      if (out == begin_of_line + 1) {  // readers skip a line without anything
        begin_of_line[0] = begin_of_line[1] = '"';
        out += 2;
      }
      out[-1] = '\n';
    }
    return out;
  };
  write_made_rows({lines.count, lines.all, longest, make}, sink, threads);
}

}  // namespace kann::formats
