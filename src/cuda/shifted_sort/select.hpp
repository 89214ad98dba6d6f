// Step select: the k nearest of the candidates that the shifts offer.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda {

/// Shifts that one kernel searches. More at a time save the lists' way through memory (64 bytes a query and shift at
/// k = 8), fewer save the memory of the orders (16 bytes a point each).
inline constexpr int k_shifts_at_once = 3;

/// Some of the shifts of a search, and its queries. Queries are in an order of their own, in which near ones are
/// neighbours; PlacedPoint::index is a query's row.
struct Windows {
  const PlacedPoint* d_data[k_shifts_at_once];     ///< the data in each shift's order
  const std::uint32_t* d_ranks[k_shifts_at_once];  ///< ranks of the queries in each
  int shifts;
  /// Where later orders name their points by their places in that of shift 0 (PlacedPoint::index), that order and the
  /// ranks in it; null where they name them by rows.
  const PlacedPoint* d_first;
  const std::uint32_t* d_first_ranks;
  std::int64_t data_count;
  const PlacedPoint* d_queries;
  std::int64_t query_count;
  std::int64_t window, far_window;  ///< as in Problem
  bool drop_self;
  std::int64_t list_size;  ///< as Problem::list_size()
};

/// What is before and after those shifts. d_kept holds query_count lists of rounded_list_size(list_size) sorted keys, d_far
/// whether the query stands off the data, both in the order of the queries; not used where both flags are set.
struct KeptLists {
  NeighborKey* d_kept;
  bool* d_far;
  bool first;  ///< the shifts are the first of the search: lists begin empty
  bool last;   ///< they are the last: results are written
};

/// Searches the windows, shift after shift. Up to 32 neighbours are kept in registers, one thread a query; up to
/// k_max_list in shared memory, one block a query. Queued on `stream`.
void select(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream);

/// Its two ways, by the size of the list.
void select_in_registers(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream);
void select_in_blocks(const Windows& windows, const KeptLists& lists, const ResultRows& rows, cudaStream_t stream);

}  // namespace kann::cuda
