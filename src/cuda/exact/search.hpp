// The exact search: the k smallest (squared distance, index) of all data points, proven by boxes.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/exact/box_tree.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/runtime/result_rows.hpp"

namespace kann::cuda::exact {

/// Data and queries, both along the Hilbert curve.
struct Search {
  BoxTreeView tree;
  const std::uint64_t* d_data_keys;  ///< of the tree's points, ascending; null: the queries are the tree's own points
  int key_bit;                       ///< from this bit on lie as many leading bits of a data point's code …
  Shift curve;                       ///< … as this curve has: what the data are in order of
  Grid grid;
  bool ordered_within_cells;  ///< whether the data of one cell are in fine order
  PointSequence queries;
  std::int64_t query_count;
  bool drop_self;
  std::int64_t list_size;  ///< as Problem::list_size()
};

/// Writes the rows of all queries. Up to 32 neighbours are kept in registers, a warp searching for 32 queries together;
/// up to k_max_list in shared memory, a block searching for one. Queued on `stream`.
void search(const Search& search, const ResultRows& rows, cudaStream_t stream);

void search_by_warps(const Search& search, const ResultRows& rows, cudaStream_t stream);
void search_by_blocks(const Search& search, const ResultRows& rows, cudaStream_t stream);

}  // namespace kann::cuda::exact
