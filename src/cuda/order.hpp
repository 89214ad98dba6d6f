// Points fetched into a shift's order, and the ranks of queries in it.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/shift.hpp"

namespace kann::cuda {

/// A point in its place in an order, read in one load of 16 bytes. In 2-D z is 0, which changes no bit of a distance:
/// fma(0, 0, s) = s.
struct alignas(16) PlacedPoint {
  float x, y, z;
  std::uint32_t index;
};

/// d_placed[i] = point d_indices[i] of the row-major d_points. Queued on `stream`.
void gather(const float* d_points, int dimensions, const std::uint32_t* d_indices, std::int64_t count,
            PlacedPoint* d_placed, cudaStream_t stream);

/// d_ranks[i] = how many of the sorted d_data_keys are at most the key of query d_query_order[i]. Queued on
/// `stream`. Neighbouring threads have neighbouring codes, so that their binary searches read the same keys.
void rank_queries(const std::uint64_t* d_data_keys, std::int64_t data_count, const std::uint64_t* d_query_codes,
                  const std::uint32_t* d_query_order, std::int64_t query_count, const Shift& shift,
                  std::uint32_t* d_ranks, cudaStream_t stream);

}  // namespace kann::cuda
