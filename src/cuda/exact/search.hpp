// The exact search: the k smallest (squared distance, index) of all data points, in float64. A box of points is left
// out only if its lower bound proves that none of them is a neighbour, and a point only if its float32 distance does
// (geometry/filter.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/exact/box_tree.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/runtime/result_rows.hpp"

namespace kann::cuda::exact {

/// The longest list that search() filters by tensor cores. Of 32 neighbours, with 2²³ uniform queries, it takes 29 ms,
/// search_long_lists() 21.
inline constexpr std::int64_t k_max_filtered_list = 16;

/// Data and queries, both along the same curve. Real is the type of the coordinates as they were given.
template <class Real>
struct Search {
  BoxTreeView<Real> tree;
  const std::uint64_t* d_data_keys;  ///< of the tree's points, ascending; null: places of queries are known …
  const std::uint32_t* d_places;     ///< … by their number in `queries.source`; null: that number is the place
  int key_bit;                       ///< the bits of a key from here on are leading bits of a data point's code …
  Shift curve;                       ///< … as many as this curve compares; the data are ordered by them
  Grid grid;
  bool ordered_within_cells;      ///< whether the data of one cell are in the order of crowded_cell.hpp
  PointSequence queries;          ///< in the frame; PlacedPoint::index is a row
  const double* d_given_queries;  ///< row-major; only if Real is double
  std::int64_t query_count;
  bool drop_self;
  std::uint32_t first_query;  ///< as Problem::first_query
  std::int64_t list_size;     ///< as Problem::list_size()
  double unit;                ///< as Problem::unit
  const float* d_found;       ///< rows of found_k distances of neighbours that were found before; null: none were
  std::int64_t found_k;
  bool numbers_rows;  ///< whether the result of the i-th of `queries` is row i, not that of PlacedPoint::index
};

/// Writes the rows of all queries. With lists of up to 16 neighbours, a warp searches for 32 queries together; where
/// that takes long, for one after another. For longer lists, see search_long_lists(). Queued on the pool's stream.
/// Allocates 8.3 bytes per query.
template <class Real>
void search(Pool& pool, const Search<Real>& search, const ResultRows& rows);

/// A search, and where its rows go.
template <class Real>
struct SearchJob {
  Search<Real> search;
  ResultRows rows;
};

/// Searches for queries that are far apart, in any order: lists of up to 32 neighbours take a warp per query. `few` are
/// at most some thousands, each of which has a warp of its own; both searches have one list size. Queued on the pool's
/// stream; allocates as search_long_lists().
template <class Real>
void search_singly(Pool& pool, const SearchJob<Real>& few, const SearchJob<Real>& many);

/// As search(), for any lists: a warp searches for one query after another, with lists of up to 1,024 neighbours in
/// shared memory, and again where float32 does not decide, in the end with lists in global memory. Allocates 8 bytes
/// per query, 16 if Search::d_found is set, and up to 2 GiB, or 100 bytes per neighbour where that is more.
template <class Real>
void search_long_lists(Pool& pool, const Search<Real>& search, const ResultRows& rows);

}  // namespace kann::cuda::exact
