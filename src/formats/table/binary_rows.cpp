#include "formats/table/binary_rows.hpp"

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
  std::vector<RowColumn> values;
  for (const CloudColumn& column : columns) values.push_back(column(cloud));
  const auto make = [&](std::int64_t begin, std::int64_t end, char* out) {
    const std::size_t bytes = static_cast<std::size_t>(end - begin) * stride;
    std::memset(out, 0, bytes);
    for (const RowColumn& column : values) column(begin, end - begin, out, stride);
    return out + bytes;
  };
  write_made_rows({cloud.points.size(), all, stride, make}, sink, threads);
}

}  // namespace kann::formats
