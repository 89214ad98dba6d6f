// Step rank: for each query, the number of data points whose code in a shift is at most that of the query.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/point_source.hpp"
#include "cuda/order/sorted_points.hpp"
#include "cuda/shifted_sort/prefix_table.hpp"

namespace kann::cuda {

/// d_ranks[i] = the number of points of the order whose code is ≤ that of query i; d_placed[i] = query i, unless
/// d_placed is null. Queued on `stream`. Neighbouring queries should be near each other, so that their searches read
/// the same keys. With codes 2 3 3 7, a query of code 3 has rank 3.
void rank_queries(const SortedPoints& order, const PrefixTable& table, const PointSequence& queries, std::int64_t count,
                  const Shift& shift, PlacedPoint* d_placed, std::uint32_t* d_ranks, cudaStream_t stream);

/// As rank_queries(), if the queries are the order's own points: the point at place i is query i or, with `by_index`,
/// query d_placed[i].index. This needs a search only for the end of a run of equal keys. Queued on `stream`.
void rank_own(const SortedPoints& order, bool by_index, const Shift& shift, std::uint32_t* d_ranks,
              cudaStream_t stream);

}  // namespace kann::cuda
