#include "cli/job/write_cloud.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kann/points.hpp"

#include "cli/job/wanted_attributes.hpp"

namespace kann::cli {
namespace {

/// The rows that stay.
std::vector<std::int64_t> kept_rows(const OutlierResult& dropped) {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < dropped.is_outlier.size(); ++i)
    if (!dropped.is_outlier[i]) rows.push_back(static_cast<std::int64_t>(i));
  return rows;
}

template <class T>
Array<T> taken(const Array<T>& values, std::span<const std::int64_t> rows, std::size_t width = 1) {
  Array<T> out(rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(values.data() + static_cast<std::size_t>(rows[i]) * width, width, out.data() + i * width);
  return out;
}

Points taken(const Points& points, std::span<const std::int64_t> rows) {
  Points out{points.dimensions, {}};
  std::visit([&](const auto& c) { out.coordinates = taken(c, rows, static_cast<std::size_t>(points.dimensions)); },
             points.coordinates);
  return out;
}

Attribute taken(const Attribute& attribute, std::span<const std::int64_t> rows) {
  Attribute out{attribute.name, {}};
  std::visit([&](const auto& values) { out.values = taken(values, rows); }, attribute.values);
  return out;
}

bool has_name(std::span<const Attribute> attributes, const std::string& name) {
  return std::ranges::any_of(attributes, [&](const Attribute& a) { return a.name == name; });
}

}  // namespace

std::vector<std::string> write_cloud(CloudFile& file, const Cloud& queries, std::span<const Attribute> columns,
                                     const OutlierResult* dropped, int threads) {
  std::vector<Attribute> attributes;
  const std::span<const Attribute> all_own = own_attributes(queries);
  for (const Attribute& own : all_own) {
    if (queries.las && !has_name(columns, own.name)) continue;  // the LAS records have it already
    attributes.push_back(own);
    std::string& name = attributes.back().name;
    while (has_name(columns, name) || (name != own.name && has_name(all_own, name))) name = "query_" + name;
  }
  attributes.insert(attributes.end(), columns.begin(), columns.end());
  if (!dropped) return file.write(queries.points, attributes, queries.las.get(), threads);

  const std::vector<std::int64_t> rows = kept_rows(*dropped);
  for (Attribute& attribute : attributes) attribute = taken(attribute, rows);
  LasRecords records;
  if (queries.las)
    records = {queries.las->head, queries.las->record_bytes,
               taken(queries.las->records, rows, queries.las->record_bytes), queries.las->extended,
               queries.las->extended_count};
  return file.write(taken(queries.points, rows), attributes, queries.las ? &records : nullptr, threads);
}

}  // namespace kann::cli
