#include "cli/job/joined_table.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <variant>

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

bool has_name(Columns columns, const std::string& name) {
  return std::ranges::any_of(columns, [&](const CellColumn& column) { return column.name == name; });
}

}  // namespace

JoinedTable::JoinedTable(const Options& options, const Cloud& queries, const Cloud& data, formats::ByteSink& sink,
                         int threads)
    : join_(*options.join),
      delimiter_(options.output_format == NeighborFormat::tsv ? '\t' : ','),
      sink_(sink),
      threads_(threads) {
  const bool has_pairs = join_ != Join::anti;
  std::set<std::string> taken;
  std::string header;
  const auto add = [&](const std::string& name) {
    taken.insert(name);
    header += formats::header_cell(name) + delimiter_;
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
  // Of each line: where the query, the data point, and the pair among all of the rows are; −1: there is no pair
  std::vector<std::int64_t> queries, data, pairs;
  for (auto* const places : {&queries, &data, &pairs}) places->reserve(k_lines_at_once);
  const auto write = [&] {
    for (std::size_t i = 0; i < columns.size(); ++i)
      columns[i].rows = i < own ? queries : i + 2 < columns.size() ? data : pairs;
    formats::write_cells({columns, std::ssize(queries), std::ssize(queries), delimiter_, ""}, sink_, threads_);
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

}  // namespace kann::cli
