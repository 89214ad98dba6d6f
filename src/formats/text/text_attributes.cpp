#include "formats/text/text_attributes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_first_values = 64;    // of thousands of columns, parts of a file have a few rows each
constexpr std::size_t k_most_columns = 4096;  // a line of a megabyte may have half a million, an array each

/// A name of the header: two quotes within quotes are one.
std::string name_of(std::string_view field) {
  std::string name(field);
  for (std::size_t at = 0; (at = name.find("\"\"", at)) != std::string::npos; ++at) name.erase(at, 1);
  return name;
}

/// The whole number that int32 holds, if the cell is one; -0 is none.
std::optional<std::int32_t> small_whole(std::string_view cell) {
  std::int64_t whole = 0;
  if (parse_whole(cell, whole) != NumberFault::none || (whole == 0 && cell.front() == '-') ||
      whole < std::numeric_limits<std::int32_t>::min() || whole > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return static_cast<std::int32_t>(whole);
}

}  // namespace

TextAttributes::TextAttributes(const TextLayout& layout, const ReadOptions& options, const std::string& file,
                               std::vector<std::string>& warnings)
    : file_(&file) {
  if (!wants_attributes(options)) return;
  if (options.all_attributes && layout.table.count > k_most_columns)
    refuse(file, fmt::format("{} columns are too many to be attributes (need at most {}); name those that are wanted",
                             layout.table.count, k_most_columns));
  std::vector<AttributeColumn> table(layout.table.count);
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i < layout.table.names.size()) table[i].name = name_of(layout.table.names[i]);
    if (table[i].name.empty()) table[i].name = fmt::format("column_{}", i + 1);
  }
  of_column_.assign(table.size(), k_none);
  chosen_ = chosen_attributes(layout.table.noun, table, layout.axes, options, file, warnings);
  // Without names, the third column is z, also where --columns takes the first two alone
  if (layout.table.names.empty() && std::ranges::equal(layout.axes, std::array<std::size_t, 2>{0, 1}))
    if (const auto z = std::ranges::find(chosen_.columns, std::size_t{2}); z != chosen_.columns.end())
      chosen_.coordinates.push_back(static_cast<std::size_t>(z - chosen_.columns.begin()));
  for (const std::size_t column : chosen_.columns) {
    of_column_[column] = columns_.size();
    columns_.push_back({table[column].name});
  }
  for (const auto& places : chosen_.asked)
    for (const std::size_t place : places) columns_[place].is_asked_for = true;
}

template <class T>
void TextAttributes::append(Array<T>& values, T value) const {
  if (values.size() == values.capacity()) {
    const std::size_t capacity = std::max(k_first_values, 2 * values.capacity());
    check_large_allocation(static_cast<double>(capacity * sizeof(T)), *file_);
    values.reserve(capacity);
  }
  values.push_back(value);
}

void TextAttributes::add(std::size_t column, std::string_view cell, std::int64_t line) {
  Column& to = columns_[of_column_[column]];
  if (auto* const wholes = std::get_if<Array<std::int32_t>>(&to.values)) {
    if (const auto whole = small_whole(cell)) return append(*wholes, *whole);
    check_large_allocation(static_cast<double>(wholes->capacity() * sizeof(double)), *file_);
    Array<double> wider;
    wider.reserve(wholes->capacity());
    wider.insert(wider.end(), wholes->begin(), wholes->end());
    to.values = std::move(wider);
  }
  double value = 0;
  const NumberFault fault = parse_number(cell, value);
  if (fault == NumberFault::none) return append(std::get<Array<double>>(to.values), value);
  if (is_missing_value(cell))
    return append(std::get<Array<double>>(to.values), std::numeric_limits<double>::quiet_NaN());
  if (to.is_asked_for)
    refuse_line(*file_, line, fmt::format("column {} {}: {}", column + 1, describe(fault), quoted(cell)));
  leave_out(column, fmt::format("{} in line {}: {}", describe(fault), line, quoted(cell)));
}

void TextAttributes::leave_out(std::size_t column, const std::string& fault) {
  Column& left = columns_[of_column_[column]];
  left.fault = fault;
  left.values = Array<std::int32_t>();
  of_column_[column] = k_none;
}

void TextAttributes::drop_values() {
  for (Column& column : columns_) std::visit([](auto& values) { values.clear(); }, column.values);
}

TextAttributes TextAttributes::known(const std::string& file) const {
  TextAttributes same;
  same.file_ = &file;
  same.of_column_.assign(of_column_.size(), k_none);
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    const Column& column = columns_[place];
    if (!column.fault.empty()) continue;
    same.of_column_[chosen_.columns[place]] = same.columns_.size();
    same.columns_.push_back({column.name, {}, "", true});
    if (std::holds_alternative<Array<double>>(column.values)) same.columns_.back().values = Array<double>();
  }
  return same;
}

void TextAttributes::move_to(Cloud& cloud) {
  std::vector<std::string> left_out;
  std::vector<std::size_t> places;  // places of columns_ in the cloud; meaningless for those left out
  for (Column& column : columns_) {
    places.push_back(cloud.attributes.size());
    if (!column.fault.empty())
      left_out.push_back(quoted(column.name) + " " + column.fault);
    else
      std::visit(
          [&](auto& values) {
            cloud.attributes.push_back({std::move(column.name), std::move(values)});
          },
          column.values);
  }
  for (auto& asked : chosen_.asked)
    for (std::size_t& place : asked) place = places[place];
  std::erase_if(chosen_.coordinates, [&](std::size_t place) { return !columns_[place].fault.empty(); });
  for (std::size_t& place : chosen_.coordinates) place = places[place];
  chosen_.describe(cloud);
  if (!left_out.empty()) warn_of_left_out(left_out, *file_, cloud.warnings);
}

}  // namespace kann::formats
