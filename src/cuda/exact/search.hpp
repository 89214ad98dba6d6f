// The exact search: the k smallest (squared distance, index) of all data points, in float64. A box of points is left
// out only if its lower bound proves that none of them is a neighbour, and a point only if its float32 distance does
// (geometry/filter.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/exact/box_tree.hpp"
#include "cuda/exact/query_queue.hpp"
#include "cuda/exact/seen_places.hpp"
#include "cuda/order/kd_order.hpp"
#include "cuda/order/point_source.hpp"
#include "cuda/runtime/result_rows.hpp"

namespace kann::cuda::exact {

/// The longest list that search() filters by tensor cores. For 2²³ uniform queries and lists of 32 neighbours, the
/// filter takes 29 ms, and search_long_lists() takes 21.
inline constexpr std::int64_t k_max_filtered_list = 16;

/// Data and queries, along the same curve unless the search says otherwise. Real is the type of the coordinates as they
/// were given.
template <class Real>
struct Search {
  BoxTreeView<Real> tree;
  const std::uint64_t* d_data_keys;  ///< the tree points' keys, ascending; null if query i is at place i,
                                     ///< if there is a tree of places, or for the searches in cells and of
                                     ///< queues, which need no places
  int key_bit;                       ///< the bits of a key from here on are leading bits of a data point's code …
  Shift curve;                       ///< … as many as this curve compares; the data are ordered by them
  Grid grid;
  KdTreeView tree_of_places;      ///< if there is one, the data are in its order, and not in that of keys
  PointSequence queries;          ///< in the frame; PlacedPoint::index is a row
  const double* d_given_queries;  ///< row-major; only if Real is double
  std::int64_t query_count;
  const std::uint32_t* d_query_count;  ///< the number of queries, if the host only knows that it is at most query_count
  bool are_all_rows;  ///< whether the rows of the queries are all from 0 to query_count − 1, in any order
  bool drop_self;
  std::uint32_t first_query;          ///< as Problem::first_query
  std::int64_t list_size;             ///< as Problem::list_size()
  double unit;                        ///< as Problem::unit
  const GroupPlaces* d_group_places;  ///< by slot, the places that a query sees, with lists of up to 64; null: all
  const std::uint64_t* d_query_keys;  ///< by slot, as d_data_keys; null: those of `curve`

#ifdef __CUDACC__
  __device__ __forceinline__ std::int64_t known_query_count() const {
    return d_query_count ? *d_query_count : query_count;
  }
#endif
};

/// Whether queries are so few that a warp searches for one of them alone: 32 that follow each other share few points,
/// or to order them takes longer than the search. Their order does not matter then. For 10⁴ queries in 2 × 10⁵ points
/// and k = 8, this takes .11 ms, and .40 to order them and search for 32 together; for 6 × 10⁴, .35 and .23.
bool are_few(std::int64_t query_count, std::int64_t data_count, std::int64_t list_size, bool are_in_order);

/// Writes the rows of all queries. With lists of up to 16 neighbours, a warp searches for 32 queries together or, where
/// that takes long or are_few(), for one after another. For longer lists, see search_long_lists(). Queued on the pool's
/// stream. Allocates 8.4 bytes per query.
template <class Real>
void search(Pool& pool, const Search<Real>& search, const ResultRows& rows);

/// As search(), for lists of any length: a warp searches for one query after another, for those of up to 32 neighbours
/// that search_near() leaves. Lists of up to 1,024 neighbours are in shared memory. Where float32 does not decide, the
/// query is searched for again, in the end with a list in global memory. Queries of up to 64 neighbours that are far
/// from all points are left to search_queued(). Allocates 8 bytes per query, and up to 2 GiB for lists in global
/// memory, or 100 bytes per neighbour where that is more.
template <class Real>
void search_long_lists(Pool& pool, const Search<Real>& search, const ResultRows& rows);

/// The queries that the search of short lists does not finish. A query is in at most one queue, alone or with its warp.
struct Remaining {
  QueryQueue undecided;        ///< queries that the filter does not decide; their float32 distances may be exact
  QueryQueue undecided_warps;  ///< groups of 32 such queries with consecutive slots; an entry is slot / 32
  QueryQueue single;           ///< queries to be searched for one by one
  std::uint32_t* d_next;       ///< the next entry of `single` to take, at first 0

#ifdef __CUDACC__
  __device__ __forceinline__ bool are_many_undecided(std::uint32_t slot) const {
    return are_many(undecided.count() + undecided_warps.count() * warp::k_lanes, slot);
  }
  __device__ __forceinline__ bool are_many_single(std::uint32_t slot) const { return are_many(single.count(), slot); }
#endif
};

/// The places among the data of the first and the last query of each warp, pair after pair. In the search itself,
/// finding two places would take a warp 700 instructions. Queued.
template <class Real>
Buffer<std::uint32_t> places_of_warps(Pool& pool, const Search<Real>& search);

inline constexpr std::int64_t k_max_near_list = 32;

/// Whether search_near() is right for a search, and likely to be faster than one query after another: it has lists of
/// 17 to 32 neighbours, and enough queries for 32 of them to share their points.
template <class Real>
bool is_for_near(const Search<Real>& search, const ResultRows& rows);

/// Searches for 32 queries together, unless they see different places, with lists of up to k_max_near_list. Queries
/// whose row is wrong are added to `left`; if these are many, all that follow, too. Queued. Allocates up to 128 bytes
/// per row, for their ends.
template <class Real>
void search_near(Pool& pool, const Search<Real>& search, const ResultRows& rows, const QueryQueue& left);

/// Searches for the undecided queries whose float32 distances are exact, and adds the others to `single`; if there are
/// only few queries, it adds all of them.
void search_lattices(Pool& pool, const Search<float>& search, const ResultRows& rows, const Remaining& remaining);

/// Searches for the single queries, with lists of up to 64 neighbours; or for all, if that queue has no count. Each is
/// searched for among the places that it sees.
template <class Real>
void search_queued(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining);

}  // namespace kann::cuda::exact
