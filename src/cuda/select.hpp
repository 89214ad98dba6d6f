// Step select: the k nearest of the candidates that a shift offers, merged with those kept from the shifts before.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda {

/// The largest list that the kernels keep.
inline constexpr std::int64_t k_max_list = 1024;

/// Keys between one query's list and the next in d_kept, for lists of `list_size` neighbours.
std::int64_t list_stride(std::int64_t list_size);

/// What a shift offers: the ordered data, and the queries with their ranks.
struct Candidates {
  const PlacedPoint* d_data;
  std::int64_t data_count;
  const float* d_queries;  ///< row-major, in the input's order
  int dimensions;
  const std::uint32_t* d_query_order;  ///< the order that queries are taken in
  const std::uint32_t* d_ranks;        ///< ranks in that order
  std::int64_t query_count;
  std::int64_t window;
  bool drop_self;
};

/// Merges the shift's candidates into d_kept: query_count lists of list_stride(list_size) sorted keys, in
/// d_query_order; the first list_size of each are its nearest so far. `first` starts from empty lists and reads
/// nothing. Up to 32 neighbours are kept in registers, one thread a query; up to k_max_list in shared memory, one block
/// a query. Queued on `stream`.
void select(const Candidates& candidates, std::int64_t list_size, bool first, NeighborKey* d_kept, cudaStream_t stream);

}  // namespace kann::cuda
