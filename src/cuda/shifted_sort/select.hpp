// Step select: the k nearest of the candidates of all shifts.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda {

/// The maximum number of shifts that one kernel searches. With more, lists are stored and loaded less often (64 bytes
/// per query and shift at k = 8); with fewer, the orders take less memory (24 bytes per point each).
inline constexpr int k_shifts_at_once = 3;

/// Some of the shifts of a search, and its queries. These are ordered so that neighbours are near each other, and their
/// PlacedPoint::index is a row.
struct Windows {
  const PlacedPoint* d_data[k_shifts_at_once];     ///< the data in each shift's order
  const std::uint32_t* d_ranks[k_shifts_at_once];  ///< the ranks of the queries in each order
  int shifts;
  const PlacedPoint* d_first;          ///< the order of shift 0: PlacedPoint::index in later orders is a place in it
  const std::uint32_t* d_first_ranks;  ///< the ranks in it
  std::int64_t data_count;
  const PlacedPoint* d_queries;
  std::int64_t query_count;
  std::int64_t window;  ///< as in Problem
  bool drop_self;
  std::uint32_t first_query;  ///< as Problem::first_query
  std::int64_t list_size;     ///< as Problem::list_size(), at most k_max_register_list
};

/// The lists before and after some of the shifts. d_kept: query_count lists of rounded_list_size(list_size) sorted
/// keys, in the order of the queries; not used if `first` and `last` are set.
struct KeptLists {
  NeighborKey* d_kept;
  bool first;  ///< whether the shifts are the first of the search, so that lists begin empty
  bool last;   ///< whether they are the last, so that results are written
};

/// Searches the windows, shift after shift. One thread per query has the query's list in its registers. Queued on the
/// stream.
void select(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream);

}  // namespace kann::cuda
