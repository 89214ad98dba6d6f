// The queries whose rows are doubtful.
#pragma once

#include <cstdint>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "geometry/grid.hpp"

namespace kann::cuda {

struct Doubtful {
  Buffer<std::uint32_t> slots;  ///< places in the order of the queries, ascending; the first `count` are set
  std::int64_t count = 0;
  std::int64_t crowded = 0;  ///< about how many data points share their cell with 128 others
};

/// Finds the queries whose flag is set. d_flags: one per query, in their order. d_placed: the data in the order of
/// shift 0. Blocks.
Doubtful find_doubtful(Pool& pool, const bool* d_flags, std::int64_t query_count, const PlacedPoint* d_placed,
                       std::int64_t data_count, const geometry::Grid& grid, int dimensions);

}  // namespace kann::cuda
