// First bounds of the queries of a warp, by the data around their places on the curve.
#pragma once

#include <cstdint>

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/smallest_in.cuh"
#include "cuda/warp/lane.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::exact {

/// Points on each side of a warp's places that give the bound. For k = 8, the search takes 6.7 ms with 8 of them, 6.5
/// with 16 and 6.4 with 24.
template <int K>
constexpr std::int64_t k_reach = K < 8 ? 16 : 3 * K;
/// If the places of a warp's queries on the curve are further apart than this, each lane has points of its own.
constexpr std::int64_t k_max_apart = 96;

/// The K-th smallest float32 squared distance of data near the places of a warp's queries, which lie between `first`
/// and `last`; infinite if there are fewer. Called by all 32 lanes, each for its own query.
template <int K, class Real>
__device__ __forceinline__ float nearest_around(const BoxTreeView<Real>& tree, const Query<Real>& query,
                                                std::int64_t first, std::int64_t last) {
  constexpr std::int64_t reach = k_reach<K>;
  const std::int64_t half_gap = (last - first) / 2;
  const bool together = last - first <= k_max_apart;
  const std::int64_t own = first + (last - first) * warp::lane_id() / (warp::k_lanes - 1);
  const Window window = together ? window_around(first + half_gap, half_gap + reach, tree.point_count)
                                 : window_around(own, 2 * reach, tree.point_count);
  return thread::smallest_in<K>(tree.d_points, window, query).last();
}

}  // namespace kann::cuda::exact
