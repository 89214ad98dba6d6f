#include "cli/job/joined_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "cli/asked/wanted_attributes.hpp"

namespace kann::cli {
namespace {

constexpr std::size_t k_lines_at_once = 1 << 16;  // 2 MB

}  // namespace

TableSide::TableSide(const Cloud& cloud) {
  const std::span<const Attribute> own = own_attributes(cloud);
  const PointsView points = cloud.points;
  if (std::ranges::count(own, Meaning::coordinate, &Attribute::meaning) < points.dimensions)
    for (int axis = 0; axis < points.dimensions; ++axis) coordinates_.push_back(coordinate_of(points, axis));
  for (const Attribute& coordinate : coordinates_) columns_.push_back(&coordinate);
  for (const Attribute& attribute : own) columns_.push_back(&attribute);
}

JoinedTable::JoinedTable(const Options& options, const Cloud& queries, const Cloud& data, formats::ByteSink& sink,
                         int threads)
    : join_(*options.join),
      table_(options.output_format == NeighborFormat::tsv ? '\t' : ',', join_ != Join::anti),
      sink_(sink),
      threads_(threads) {
  const TableSide left(queries), right(data);
  sink_.write(formats::as_bytes(table_.header(left.columns(), right.columns())));
}

void JoinedTable::add(const flow::FoundBlock& block, std::span<const std::uint8_t> is_kept) {
  const Rows& rows = block.rows;
  const TableSide queries(block.queries);
  if (!data_ || !block.data_rows.empty()) data_.emplace(block.data);  // else it is the same of all blocks
  const auto places = std::get<std::span<const std::int32_t>>(block.neighbors.ids);
  std::vector<formats::PairLine> lines;
  const auto write = [&] {
    table_.write(queries.columns(), data_->columns(), lines, sink_, threads_);
    lines.clear();
  };
  const auto add = [&](const formats::PairLine& line) {
    lines.push_back(line);
    if (lines.size() == k_lines_at_once) write();
  };
  for (std::int64_t row = 0; row < rows.count; ++row) {
    if (!is_kept.empty() && !is_kept[static_cast<std::size_t>(row)]) continue;
    const auto [begin, end] = rows.row(row);
    if (begin == end && join_ != Join::inner) add({row, -1, -1, 0});
    for (std::size_t i = begin; i < end && join_ != Join::anti; ++i)
      add({row, places[i], rows.id(i), rows.distances[i]});
  }
  write();
}

}  // namespace kann::cli
