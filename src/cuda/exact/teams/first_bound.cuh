// First bounds for the queries of a warp, from the data around their places on the curve.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/exact/box_tree.hpp"
#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/query.cuh"
#include "cuda/thread/smallest_values.cuh"
#include "cuda/warp/lane.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::exact {

/// Points on each side of a warp's places that give the bound: a multiple of K. With 40 of them for K = 8, the search
/// is slower.
template <int K>
constexpr std::int64_t k_reach = K <= 4 ? 8 : 2 * K;
/// If the places of a warp's queries on the curve are further apart than this, each lane has points of its own.
constexpr std::int64_t k_max_apart = 96;

/// An upper bound of the K-th smallest float32 squared distance of the points of a window, except the query itself if
/// `drops_self`; infinite if there are fewer than 2K. The points are dealt to 2K groups in turn. The nearest points of
/// the groups are 2K different points, and the K-th smallest of their distances is the bound. This takes 8 instructions
/// per point, where the K-th smallest of all distances takes 16. Called by one thread.
template <int K, bool drops_self>
__device__ __forceinline__ float bound_in(const PlacedPoint* d_points, const Window& window,
                                          const thread::Query& query) {
  constexpr int groups = 2 * K;
  // The minima of the groups, as integers: the bits of float32s that are not negative have the order of their values
  std::uint32_t lower[K], upper[K];
#pragma unroll
  for (int j = 0; j < K; ++j) lower[j] = upper[j] = __float_as_uint(INFINITY);
  const PlacedPoint* d_round = d_points + window.begin;
  const auto sq_dist_bits = [&](int place) {
    const PlacedPoint& p = d_round[place];
    return __float_as_uint(drops_self && query.is(p.index) ? INFINITY : query.sq_dist_to(p));
  };
#pragma unroll 1
  for (int rounds = static_cast<int>(window.end - window.begin) / groups; rounds > 0; --rounds) {
#pragma unroll
    for (int j = 0; j < K; ++j) lower[j] = thread::smaller(lower[j], sq_dist_bits(j));
#pragma unroll
    for (int j = 0; j < K; ++j) upper[j] = thread::smaller(upper[j], sq_dist_bits(K + j));
    d_round += groups;
  }
  thread::sort(lower);
  thread::sort(upper);
  std::uint32_t last = 0;  // the greatest of the K smallest of both
#pragma unroll
  for (int j = 0; j < K; ++j) last = thread::larger(last, thread::smaller(lower[j], upper[K - 1 - j]));
  return __uint_as_float(last);
}

/// The places among the data of the first and the last query of a warp, in either order.
struct PlaceRange {
  std::int64_t first, last;
};

/// Whether queries are too far apart to be searched for together: a box around all of them would hold most of the data.
__device__ __forceinline__ bool are_apart(const PlaceRange& places) {
  constexpr std::int64_t most = 8192;
  return places.last - places.first > most || places.first - places.last > most;
}

/// bound_in() for data near the places of a warp's queries, of those at the places that are seen. Called by all 32
/// lanes, each for its own query.
template <int K, bool drops_self, class Real>
__device__ __forceinline__ float first_bound(const Search<Real>& search, const Query<Real>& query,
                                             const PlaceRange& places, const Window& seen) {
  const std::int64_t first = min(places.first, places.last), gap = max(places.first, places.last) - first;
  const std::int64_t whole_groups = (gap / 2 + K - 1) / K * K;
  const bool together = gap <= k_max_apart;
  const std::int64_t middle = first + (together ? gap / 2 : gap * warp::lane_id() / (warp::k_lanes - 1)) - seen.begin;
  const Window window =
      window_around(middle, together ? whole_groups + k_reach<K> : 2 * k_reach<K>, seen.end - seen.begin);
  return bound_in<K, drops_self>(search.tree.d_points + seen.begin, window, query);
}

}  // namespace kann::cuda::exact
