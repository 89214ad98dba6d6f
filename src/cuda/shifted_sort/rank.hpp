// Step rank: how many data points come before each query in a shift's order.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/point_source.hpp"
#include "cuda/order/sorted_points.hpp"
#include "cuda/shifted_sort/prefix_table.hpp"

namespace kann::cuda {

/// d_ranks[i] = how many points of the order have a key of at most that of query i, which is put into d_placed[i] on
/// the way (null: is not). Queued on `stream`. Neighbouring queries should be near each other, so that their binary
/// searches read the same keys.
void rank_queries(const SortedPoints& order, const PrefixTable& table, const PointSequence& queries, std::int64_t count,
                  const Shift& shift, PlacedPoint* d_placed, std::uint32_t* d_ranks, cudaStream_t stream);

/// The same where the queries are the order's own points: the point at place i is query i or, `by_index`, the query
/// that its index names. No search is needed but to the end of a run of equal keys. Queued on `stream`.
void rank_own(const SortedPoints& order, bool by_index, const Shift& shift, std::uint32_t* d_ranks, cudaStream_t stream);

}  // namespace kann::cuda
