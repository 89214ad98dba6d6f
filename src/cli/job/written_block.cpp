#include "cli/job/written_block.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>

#include "cli/asked/wanted_attributes.hpp"
#include "formats/table/meanings.hpp"

namespace kann::cli {
namespace {

/// The rows that stay.
std::vector<std::size_t> kept_rows(std::span<const std::uint8_t> is_kept) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < is_kept.size(); ++i)
    if (is_kept[i]) rows.push_back(i);
  return rows;
}

template <class T>
Array<T> taken(const Array<T>& values, std::span<const std::size_t> rows, std::size_t width = 1) {
  Array<T> out(rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(values.data() + rows[i] * width, width, out.data() + i * width);
  return out;
}

AttributeValues taken(const AttributeValues& values, std::span<const std::size_t> rows) {
  return std::visit([&](const auto& array) { return AttributeValues(taken(array, rows)); }, values);
}

Points taken(const Points& points, std::span<const std::size_t> rows) {
  Points out{points.dimensions, {}};
  std::visit([&](const auto& c) { out.coordinates = taken(c, rows, static_cast<std::size_t>(points.dimensions)); },
             points.coordinates);
  return out;
}

/// Whether an attribute has the name, but for what programs write differently.
bool has_name(std::span<const Attribute> attributes, const std::string& name) {
  return std::ranges::any_of(
      attributes, [&](const Attribute& a) { return formats::plain_name(a.name) == formats::plain_name(name); });
}

/// The column that an own attribute cannot stand beside under its name, since it has the same one, but for what
/// programs write differently, or the same meaning; null if there is none.
const Attribute* rival_of(const Attribute& own, std::span<const Attribute> columns) {
  const auto found = std::ranges::find_if(columns, [&](const Attribute& column) {
    return own.name == column.name ||
           (column.meaning == Meaning::found ? formats::plain_name(own.name) == formats::plain_name(column.name)
                                             : own.meaning == column.meaning && !formats::name_of(own.meaning).empty());
  });
  return found == columns.end() ? nullptr : &*found;
}

/// The name of an own attribute that has a rival: query_NAME; beside what was found, which an earlier run found, too,
/// NAME_1, or the next number that is free.
std::string other_name(const Attribute& own, const Attribute& rival, std::span<const Attribute> all_own,
                       std::span<const Attribute> columns) {
  std::string name = own.name;
  for (int number = 1; name == own.name || has_name(columns, name) || has_name(all_own, name); ++number)
    name = rival.meaning == Meaning::found ? fmt::format("{}_{}", own.name, number) : "query_" + name;
  return name;
}

}  // namespace

WrittenBlock::WrittenBlock(const Cloud& queries, std::vector<Attribute> columns, std::span<const std::uint8_t> is_kept,
                           const WrittenColumns& asked)
    : queries_(queries) {
  const std::vector<std::size_t> rows = kept_rows(is_kept);
  const bool has_dropped = rows.size() < is_kept.size();
  const std::span<const Attribute> all_own = own_attributes(queries);
  struct Source {
    Attribute* attribute;  // null: it is `own`
    const Attribute* own;
    Meaning meaning;
  };
  std::vector<Source> sources;
  std::vector<std::string> fixed = asked.coordinates, names;
  for (const Attribute& own : all_own) {
    const Attribute* const rival = rival_of(own, columns);
    if (queries.las && !rival) {  // the LAS records have it already
      fixed.push_back(own.name);
    } else {
      names.push_back(rival ? other_name(own, *rival, all_own, columns) : own.name);
      const bool was_found = rival && rival->meaning == Meaning::found;
      sources.push_back({nullptr, &own, !rival ? own.meaning : was_found ? Meaning::found : Meaning::none});
    }
  }
  for (Attribute& column : columns) {
    names.push_back(column.name);
    sources.push_back({&column, nullptr, column.meaning});
  }
  names.insert(names.begin(), fixed.begin(), fixed.end());
  for (ChosenColumn& chosen : chosen_columns(asked.choices, names, fixed.size(), asked.owner)) {
    const auto& [column, own, meaning] = sources[chosen.place - fixed.size()];
    if (own && own->texts && !asked.holds_text) {
      lost_.push_back(own->name);
      continue;
    }
    if (column && !has_dropped)
      attributes_.push_back(std::move(*column));
    else
      attributes_.push_back(
          (column ? *column : *own).with(has_dropped ? taken((column ? *column : *own).values, rows) : own->values));
    const bool is_renamed = chosen.name != names[chosen.place];
    attributes_.back().name = std::move(chosen.name);
    attributes_.back().meaning = is_renamed ? Meaning::none : meaning;
  }
  if (!has_dropped) return;
  kept_points_ = taken(queries.points, rows);
  if (const LasRecords* const las = queries.las.get())
    kept_las_ = {las->head, las->record_bytes, taken(las->records, rows, las->record_bytes), las->extended,
                 las->extended_count};
}

CloudBlock WrittenBlock::view() const {
  return {kept_points_ ? *kept_points_ : queries_.points, attributes_, kept_las_ ? &*kept_las_ : queries_.las.get()};
}

}  // namespace kann::cli
