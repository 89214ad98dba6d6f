#include "formats/table/binary_rows.hpp"

#include <algorithm>
#include <variant>
#include <vector>

#include "formats/table/ordered_blocks.hpp"

namespace kann::formats {

CloudColumn attribute_column(std::size_t offset, std::size_t attribute) {
  return [=](const CloudBlock& block) {
    return std::visit(
        [offset](const auto& values) {
          return row_column(offset, [p = values.data()](std::int64_t i) { return p[i]; });
        },
        block.attributes[attribute].values);
  };
}

void write_rows(const CloudBlock& cloud, std::int64_t all, std::size_t stride, std::span<const CloudColumn> columns,
                ByteSink& sink, int threads) {
  constexpr std::size_t block_bytes = std::size_t{256} << 10;  // stays in a core's cache while all columns are written
  const std::int64_t rows = cloud.points.size();
  const auto per_block = static_cast<std::int64_t>(std::max<std::size_t>(1, block_bytes / stride));
  std::vector<RowColumn> values;
  for (const CloudColumn& column : columns) values.push_back(column(cloud));
  const auto make = [&](std::int64_t block, std::byte* out) {
    const std::int64_t first = block * per_block, count = std::min(per_block, rows - first);
    const std::size_t bytes = static_cast<std::size_t>(count) * stride;
    std::memset(out, 0, bytes);
    for (const RowColumn& column : values) column(first, count, reinterpret_cast<char*>(out), stride);
    return bytes;
  };
  write_blocks({(rows + per_block - 1) / per_block, static_cast<std::size_t>(per_block) * stride, make,
                [&](std::int64_t, std::uint64_t) { return static_cast<std::uint64_t>(all) * stride; }},
               sink, threads);
}

}  // namespace kann::formats
