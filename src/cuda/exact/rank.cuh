// The place of a query among the data along the curve.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/exact/search.hpp"
#include "cuda/order/on_curve.cuh"
#include "cuda/thread/binary_search.cuh"

namespace kann::cuda::exact {

/// The query at place `slot` in the order of the queries; its index is its row. Called by one thread.
template <class Real>
__device__ __forceinline__ PlacedPoint query_at(const Search<Real>& search, std::int64_t slot) {
  return search.curve.dimensions == 3 ? point_at<3>(search.queries, slot) : point_at<2>(search.queries, slot);
}

/// The leading bits of a query's code, as many as the data are ordered by. Called by one thread.
template <class Real>
__device__ __forceinline__ std::uint64_t rank_key(const Search<Real>& search, const PlacedPoint& query) {
  return search.curve.dimensions == 3 ? OnHilbertCurve<3>(query, search.grid, search.curve).key(search.curve)
                                      : OnHilbertCurve<2>(query, search.grid, search.curve).key(search.curve);
}

/// The place among the data of the query at a slot. If it is not known, it is the first place of the query's cell or,
/// in a tree, the first place of its leaf. Called by one thread.
template <class Real>
__device__ __forceinline__ std::int64_t place_of(const Search<Real>& search, std::int64_t slot,
                                                 const PlacedPoint& point, const Query<Real>& query) {
  if (const KdTreeView& tree = search.tree_of_places; tree.d_nodes) {
    const float in_frame[3] = {point.x, point.y, point.z};
    return tree.is_given ? tree.place_of(query.given()) : tree.place_of(in_frame);
  }
  if (!search.d_data_keys) return search.queries.d_from ? search.queries.d_from[slot] : slot;
  const std::uint64_t key = search.d_query_keys ? search.d_query_keys[slot] : rank_key(search, point) << search.key_bit;
  return thread::partition_point(0, search.tree.point_count,
                                 [&](std::int64_t place) { return search.d_data_keys[place] < key; });
}

}  // namespace kann::cuda::exact
