#include "cli/info/contents_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <variant>

#include "base/host_memory.hpp"
#include "base/printable.hpp"

namespace kann::cli {
namespace {

using Row = std::array<std::string, 5>;

/// A number with so many digits as tell it from others of its type, but not those that decimal fractions get in binary.
std::string number(double value, std::string_view type) {
  return type == "float32" ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{:.12g}", value);
}

std::string value_text(const statistics::ColumnValue& value, std::string_view type) {
  if (const auto* const real = std::get_if<double>(&value)) return number(*real, type);
  return std::visit([](const auto& whole) { return fmt::format("{}", whole); }, value);
}

Row row_of(const ColumnContents& column) {
  constexpr std::size_t longest_name = 30;
  std::string name = base::printable(column.name);
  if (name.size() > longest_name) name = name.substr(0, base::whole_characters(name, longest_name - 3)) + "...";
  Row row{std::move(name), std::string(column.type), "-", "-", ""};
  if (column.texts) {
    row[2] = fmt::format("{} different", *column.texts);
    row[3] = "";
  } else if (column.range.finite > 0) {
    row[2] = value_text(column.range.minimum, column.type);
    row[3] = value_text(column.range.maximum, column.type);
  }
  if (column.range.others > 0) row[4] = fmt::format("{}", column.range.others);
  return row;
}

std::string table(const std::vector<ColumnContents>& columns) {
  std::vector<Row> rows = {{"column", "type", "min", "max", "NaN or inf"}};
  for (const ColumnContents& column : columns) rows.push_back(row_of(column));
  const bool has_others = std::ranges::any_of(columns, [](const auto& c) { return c.range.others > 0; });
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line = fmt::format("  {:<{}}  {:<{}}  {:>{}}  {:>{}}", row[0], widths[0], row[1], widths[1], row[2],
                                   widths[2], row[3], widths[3]);
    if (has_others) line += fmt::format("  {:>{}}", row[4], widths[4]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string points_text(const CloudContents& contents) {
  std::string text = fmt::format("{} in {}-D", contents.points(), contents.dimensions);
  if (contents.survey.invalid > 0)
    text += fmt::format("; {} invalid (NaN or infinite; first: {})", contents.survey.invalid,
                        contents.survey.first_invalid);
  return text;
}

std::string extent_text(const CloudContents& contents) {
  std::string text;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(contents.dimensions); ++axis)
    text += fmt::format("{}{:.9g}", axis > 0 ? " x " : "", contents.side(axis));
  return text;
}

/// The density per unit of the box in the first two coordinates, and in all three.
std::string density_text(const CloudContents& contents) {
  std::string text;
  if (const auto density = contents.density(2))
    text = fmt::format("{:.4g} per square unit in {} and {}", *density, base::printable(contents.coordinates[0]),
                       base::printable(contents.coordinates[1]));
  if (const auto density = contents.dimensions == 3 ? contents.density(3) : std::nullopt)
    text += fmt::format("{}{:.4g} per cubic unit", text.empty() ? "" : ", ", *density);
  return text.empty() ? "none, as the extent has no area" : text;
}

std::string system_text(const CloudContents& contents) {
  if (!contents.system) return "the file names none";
  const std::string name = base::printable(contents.system->name);
  if (!contents.system->epsg) return name;
  return fmt::format(fmt::runtime(name.empty() ? "{}EPSG:{}" : "{} (EPSG:{})"), name, *contents.system->epsg);
}

}  // namespace

std::string contents_text(const CloudContents& contents) {
  const bool is_plain = contents.coordinates == std::vector<std::string>{"x", "y", "z"};
  std::string text = base::printable(contents.path == "-" ? "stdin" : contents.path) + "\n";
  const auto line = [&](std::string_view title, const std::string& value) {
    text += fmt::format("  {:<12}{}\n", title, value);
  };
  line("format",
       contents.format + (contents.bytes ? "; " + base::bytes_text(static_cast<double>(*contents.bytes)) : ""));
  line("points", points_text(contents));
  if (!is_plain) line("coordinates", base::printable(fmt::format("{}", fmt::join(contents.coordinates, ", "))));
  if (contents.survey.valid > 0) {
    line("extent", extent_text(contents));
    line("density", density_text(contents));
  }
  line("system", system_text(contents));
  return text + table(contents.columns);
}

}  // namespace kann::cli
