#include "io/clouds/binary_rows.hpp"

#include <algorithm>

#include "io/results/ordered_blocks.hpp"

namespace kann::io {

void write_rows(std::int64_t rows, std::size_t stride, std::span<const RowColumn> columns, ByteSink& sink,
                int threads) {
  constexpr std::size_t block_bytes = std::size_t{256} << 10;  // stays in a core's cache while all columns are written
  const auto per_block = static_cast<std::int64_t>(std::max<std::size_t>(1, block_bytes / stride));
  const auto make = [&](std::int64_t block, std::byte* out) {
    const std::int64_t first = block * per_block, count = std::min(per_block, rows - first);
    const std::size_t bytes = static_cast<std::size_t>(count) * stride;
    std::memset(out, 0, bytes);
    for (const RowColumn& column : columns) column(first, count, reinterpret_cast<char*>(out), stride);
    return bytes;
  };
  write_blocks({(rows + per_block - 1) / per_block, static_cast<std::size_t>(per_block) * stride, make}, sink, threads);
}

}  // namespace kann::io
