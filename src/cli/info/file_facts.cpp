// What is known of a file; docs/info.schema.json says what the keys mean.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>
#include <variant>

#include "base/host_memory.hpp"
#include "base/printable.hpp"
#include "cli/info/cloud_contents.hpp"
#include "formats/table/coordinate_system.hpp"

namespace kann::cli {
namespace {

constexpr int k_info_version = 1;

/// A number with so many digits as tell it from others of its type, but not those that decimal fractions get in binary.
std::string number_text(const statistics::ColumnValue& value, std::string_view type) {
  const double* const real = std::get_if<double>(&value);
  if (!real) return std::visit([](const auto& whole) { return fmt::format("{}", whole); }, value);
  return type == "float32" ? fmt::format("{}", static_cast<float>(*real)) : fmt::format("{:.12g}", *real);
}

std::string short_name(const std::string& name) {
  constexpr std::size_t longest = 30;
  const std::string text = base::printable(name);
  return text.size() <= longest ? text : text.substr(0, base::whole_characters(text, longest - 3)) + "...";
}

/// A column of text shows how many different texts it has in the place of the least number.
Facts column_facts(const ColumnContents& column, bool has_others) {
  const bool has_range = !column.texts && column.range.finite > 0;
  const auto bound = [&](std::string_view key, const statistics::ColumnValue& number) {
    if (!has_range) return Fact{key, {}, key};
    return Fact{key, std::visit([](const auto& one) { return Value(one); }, number), key,
                number_text(number, column.type)};
  };
  Facts facts = {{"name", column.name, "column", short_name(column.name)}, {"type", column.type, "type"}};
  if (column.texts)
    facts.insert(facts.end(),
                 {{"texts", *column.texts, "min", fmt::format("{} different", *column.texts)}, {"", {}, "max", " "}});
  else
    facts.insert(
        facts.end(),
        {bound("min", column.range.minimum), bound("max", column.range.maximum), {"not_finite", column.range.others}});
  if (has_others)
    facts.push_back({"", {}, "NaN or inf", column.range.others > 0 ? std::to_string(column.range.others) : " "});
  return facts;
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

/// The box of the valid points, and their density in it; null if there are none.
void append_extent(Facts& facts, const CloudContents& contents) {
  if (contents.survey.valid == 0) {
    facts.insert(facts.end(), {{"extent"}, {"density"}});
    return;
  }
  const auto corner = [&](const auto& all) {
    return std::vector<double>(all.begin(), all.begin() + contents.dimensions);
  };
  const auto volume = contents.dimensions == 3 ? contents.density(3) : std::nullopt;
  facts.insert(
      facts.end(),
      {{"extent", Facts{{"min", corner(contents.survey.box.lo)}, {"max", corner(contents.survey.box.hi)}}, "extent",
        extent_text(contents)},
       {"density", Facts{{"area", contents.density(2)}, {"volume", volume}}, "density", density_text(contents)}});
}

}  // namespace

Facts facts_of_file(const CloudContents& contents) {
  const bool is_plain = contents.coordinates == std::vector<std::string>{"x", "y", "z"};
  const bool has_others = std::ranges::any_of(contents.columns, [](const auto& c) { return c.range.others > 0; });
  std::vector<Facts> columns;
  for (const ColumnContents& column : contents.columns) columns.push_back(column_facts(column, has_others));
  const std::string size = contents.bytes ? "; " + base::bytes_text(static_cast<double>(*contents.bytes)) : "";
  const bool has_invalid = contents.survey.invalid > 0;
  const std::string unit = formats::unit_of(contents.system);
  Value system;
  if (const auto& s = contents.system)
    system = Facts{{"name", s->name.empty() ? Value() : Value(s->name)},
                   {"epsg", s->epsg},
                   {"unit", unit.empty() ? Value() : Value(unit)}};
  Facts facts = {{"version", k_info_version},
                 {"path", contents.path},
                 {"format", contents.format, "format", contents.format + size},
                 {"bytes", contents.bytes},
                 {"points", contents.points(), "points", points_text(contents)},
                 {"dimensions", contents.dimensions},
                 {"coordinates", contents.coordinates, is_plain ? "" : "coordinates",
                  base::printable(fmt::format("{}", fmt::join(contents.coordinates, ", ")))},
                 {"invalid", Facts{{"points", contents.survey.invalid},
                                   {"first", has_invalid ? Value(contents.survey.first_invalid) : Value()}}}};
  append_extent(facts, contents);
  facts.insert(facts.end(), {{"coordinate_system", system, "system",
                              contents.system ? base::printable(formats::system_text(contents.system)) +
                                                    (unit.empty() ? "" : ", in " + unit)
                                              : "the file names none"},
                             {"columns", std::move(columns)},
                             {"warnings", contents.warnings}});
  return facts;
}

std::string contents_text(const CloudContents& contents) {
  const Facts facts = facts_of_file(contents);
  std::string text = base::printable(contents.path == "-" ? "stdin" : contents.path) + "\n";
  for (const auto& [label, shown] : labelled(facts)) text += fmt::format("  {:<12}{}\n", label, shown);
  for (const std::string& line : lines(cells(std::get<Table>(*find(facts, "columns")).rows), 2))
    text += "  " + line + "\n";
  return text;
}

}  // namespace kann::cli
