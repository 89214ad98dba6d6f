#include "cli/job/joined_table.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "kann/error.hpp"

#include "cli/asked/wanted_attributes.hpp"

namespace kann::cli {
namespace {

using formats::CellColumn;
using Columns = std::span<const CellColumn>;

constexpr std::size_t k_lines_at_once = 1 << 16;  // 2 MB
constexpr std::string_view k_id = "nn_id", k_distance = "nn_distance";

/// A cloud as columns of a table: x, y and z, unless the file has them among its columns, and its attributes.
std::vector<CellColumn> columns_of(const Cloud& cloud) {
  std::vector<CellColumn> columns;
  const std::span<const Attribute> own = own_attributes(cloud);
  const PointsView points = cloud.points;
  if (std::ranges::count(own, Meaning::coordinate, &Attribute::meaning) < points.dimensions)
    for (int axis = 0; axis < points.dimensions; ++axis)
      columns.push_back(formats::column_of(points, axis, std::string(1, "xyz"[axis])));
  for (const Attribute& attribute : own) columns.push_back(formats::column_of(attribute));
  return columns;
}

/// What a condition compares of pairs: −1 stands for none.
Attribute values_of_pairs(const std::string& column, const Rows& rows, std::span<const std::int64_t> pairs) {
  if (column == k_id) {
    Array<std::int64_t> ids;
    for (const std::int64_t pair : pairs)
      ids.push_back(pair < 0 ? k_missing_id : rows.id(static_cast<std::size_t>(pair)));
    return {column, std::move(ids)};
  }
  Array<float> distances;
  for (const std::int64_t pair : pairs)
    distances.push_back(pair < 0 ? std::numeric_limits<float>::infinity()
                                 : rows.distances[static_cast<std::size_t>(pair)]);
  return {column, std::move(distances)};
}

bool has_name(Columns columns, const std::string& name) {
  return std::ranges::any_of(columns, [&](const CellColumn& column) { return column.name == name; });
}

}  // namespace

JoinedTable::JoinedTable(const Options& options, const Cloud& queries, const Cloud& data, formats::ByteSink& sink,
                         int threads)
    : options_(options),
      join_(*options.join),
      delimiter_(options.output_format == NeighborFormat::tsv ? '\t' : ','),
      sink_(sink),
      threads_(threads) {
  const bool has_pairs = join_ != Join::anti;
  std::set<std::string> taken;
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    taken.insert(name);
    names.push_back(name);
  };
  const auto add_side = [&](Columns own, Columns other, const std::string& prefix) {
    for (const CellColumn& column : own) {
      std::string name = column.name;
      while (has_pairs && (taken.contains(name) || has_name(other, name) || name == k_id || name == k_distance ||
                           (name != column.name && has_name(own, name))))
        name = prefix + name;
      add(name);
    }
  };
  const std::vector<CellColumn> left = columns_of(queries), right = columns_of(data);
  add_side(left, right, "query_");
  if (has_pairs) {
    add_side(right, left, "data_");
    add(std::string(k_id));
    add(std::string(k_distance));
  }
  chosen_ = chosen_columns(options.attributes, names, 0, options.output);
  if (chosen_.empty()) throw Error(ErrorKind::bad_input, options.output + ": --attributes: no column is left");
  std::string header;
  for (const ChosenColumn& column : chosen_) header += formats::header_cell(column.name) + delimiter_;
  header.back() = '\n';
  sink_.write(formats::as_bytes(header));
}

void JoinedTable::add(const flow::FoundBlock& block, std::span<const std::uint8_t> is_kept) {
  const Rows& rows = block.rows;
  if (data_.empty() || !block.data_rows.empty()) {  // else it is the same of all blocks
    data_ = columns_of(block.data);
    for (CellColumn& column : data_) column.is_scattered = true;
  }
  std::vector<CellColumn> columns = columns_of(block.queries);
  const std::size_t own = columns.size();
  if (join_ != Join::anti) {
    columns.insert(columns.end(), data_.begin(), data_.end());
    columns.push_back({std::string(k_id), {}});
    std::visit([&](auto ids) { columns.back().values = ids.data(); }, rows.ids);
    columns.push_back({std::string(k_distance), rows.distances.data()});
  }
  // Where the query, the data point and the pair of each line are, the pair among all of the rows; −1: there is none
  std::vector<std::int64_t> queries, data, pairs;
  for (auto* const places : {&queries, &data, &pairs}) places->reserve(k_lines_at_once);
  const auto write = [&] {
    leave_out(rows, queries, data, pairs);
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i].rows = i < own ? queries : i + 2 < columns.size() ? data : pairs;
    std::vector<CellColumn> written;
    for (const ChosenColumn& column : chosen_) written.push_back(columns[column.place]);
    formats::write_cells({written, std::ssize(queries), std::ssize(queries), delimiter_, ""}, sink_, threads_);
    for (auto* const places : {&queries, &data, &pairs}) places->clear();
  };
  const auto add = [&](std::int64_t query, std::int64_t point, std::int64_t pair) {
    queries.push_back(query);
    data.push_back(point);
    pairs.push_back(pair);
    if (queries.size() == k_lines_at_once) write();
  };
  const auto ids = std::get<std::span<const std::int32_t>>(block.neighbors.ids);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (!is_kept.empty() && !is_kept[static_cast<std::size_t>(row)]) continue;
    const auto [begin, end] = rows.row(row);
    if (begin == end && join_ != Join::inner) add(row, -1, -1);
    for (std::size_t i = begin; i < end && join_ != Join::anti; ++i) add(row, ids[i], static_cast<std::int64_t>(i));
  }
  write();
}

/// Leaves out the lines whose pairs do not meet --keep, and counts the queries that still have one.
void JoinedTable::leave_out(const Rows& rows, std::vector<std::int64_t>& queries, std::vector<std::int64_t>& data,
                            std::vector<std::int64_t>& pairs) {
  std::vector<std::uint8_t> met(queries.size(), 1);
  for (const Criterion& criterion : options_.keep.all)
    if (is_of_pairs(options_, criterion.name)) compare(criterion, values_of_pairs(criterion.name, rows, pairs), met);
  std::size_t kept = 0;
  for (std::size_t line = 0; line < met.size(); ++line) {
    if (!met[line]) continue;
    const std::int64_t query = rows.first + queries[line];
    kept_queries_ += query != last_query_;
    last_query_ = query;
    for (auto* const places : {&queries, &data, &pairs}) (*places)[kept] = (*places)[line];
    ++kept;
  }
  for (auto* const places : {&queries, &data, &pairs}) places->resize(kept);
}

}  // namespace kann::cli
