// Park 2017, figure 2: the steps of one shift, as published. Data points come first in the mixed array, then queries; a
// mixed index below data_count is a data point.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/shift.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "geometry/distance.hpp"
#include "geometry/grid.hpp"

namespace kann::cuda::paper {

/// Steps 1 and 2: d_indices[i] = i, and d_codes[i] = the key of mixed point i in a shift.
/// Queued on `stream`, like the functions below.
void index_and_encode(const float* d_mixed, std::int64_t count, const Grid& grid, const Shift& shift,
                      std::uint64_t* d_codes, std::uint32_t* d_indices, cudaStream_t stream);

// Step 3 is PairSorter.

/// Steps 4 to 8: the sorted mixed indices are separated into data and queries, each still in order. Allocates its
/// memory once.
class Partition {
 public:
  Partition(Pool& pool, std::int64_t data_count, std::int64_t query_count);

  /// Step 4 flags the data points, steps 5 and 6 scan the flags, steps 7 and 8 move the indices to their places.
  void run(const std::uint32_t* d_sorted, cudaStream_t stream);

  const std::uint32_t* data() const { return partitioned_.data(); }                   ///< mixed indices of data points
  const std::uint32_t* queries() const { return partitioned_.data() + data_count_; }  ///< mixed indices of queries
  const std::uint32_t* ranks() const { return ranks_.data(); }  ///< the number of data points before each of queries()

 private:
  std::int64_t data_count_, query_count_;
  Buffer<std::uint8_t> flags_;
  Buffer<std::uint32_t> positions_;  // exclusive scan of the flags
  Buffer<std::uint32_t> partitioned_;
  Buffer<std::uint32_t> ranks_;
  Buffer<std::byte> scan_storage_;
};

/// The index of a candidate that does not exist, because there are fewer than 2k data points.
inline constexpr std::uint32_t k_no_candidate = 0xffffffffu;

/// Step 9: d_candidates (query_count × 2k) = the data points around each query of the partition, k on each side.
void collect_candidates(const Partition& partition, std::int64_t data_count, std::int64_t query_count, int k,
                        std::uint32_t* d_candidates, cudaStream_t stream);

/// The value of `dropped` with which no data point is dropped.
inline constexpr std::int64_t k_none_dropped = -(std::int64_t{1} << 40);

/// Step 10: writes the k nearest of each query's 2k candidates and, unless `first`, of d_kept to d_kept, sorted.
/// d_kept: query_count × k keys, in the input's order of queries. Data point dropped + i, which is query i itself, is
/// not among the candidates of query i, unless `dropped` is k_none_dropped. A segment of 2k lanes serves a query. k is
/// 2, 4, 8 or 16.
void select_nearest(const float* d_mixed, int dimensions, std::int64_t data_count, const Partition& partition,
                    std::int64_t query_count, const std::uint32_t* d_candidates, int k, std::int64_t dropped,
                    bool first, NeighborKey* d_kept, cudaStream_t stream);

/// Writes the keys that select_nearest() leaves in d_kept as ids and distances.
void write_rows(const NeighborKey* d_kept, std::int64_t query_count, const ResultRows& rows, cudaStream_t stream);

}  // namespace kann::cuda::paper
