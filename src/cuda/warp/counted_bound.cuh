// A bound on the distance of the k-th neighbour, found by counting points: a warp holds the distances of some points in
// registers, and counts how many are within a distance. Sorting them would take ten times as long.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "cuda/thread/query.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "geometry/window.hpp"

namespace kann::cuda::warp {

/// The number of rows of 32 points that bound lists of up to K: 6, 5 or 3 times K points in all.
template <int K>
constexpr int k_bound_rows = (K <= 64    ? 6 * K
                              : K <= 128 ? 5 * K
                                         : 3 * K) /
                             k_lanes;

/// The count may exceed the list by one part in k_count_slack; at most k_max_counts better distances are tried.
inline constexpr int k_count_slack = 8, k_max_counts = 5;

/// A float32 squared distance within which there are at least `size` ≤ K of the points, without the query itself, and
/// about an eighth more at most; infinite if there are not so many points. `count` ≤ 32·k_bound_rows<K>. Called by all
/// 32 lanes with the same arguments; valid in all.
template <int K>
__device__ __forceinline__ float counted_bound(const PlacedPoint* d_points, int count, const thread::Query& query,
                                               int size, int dimensions) {
  constexpr int rows = k_bound_rows<K>;
  float sq_dists[rows];
  float farthest = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int i = r * k_lanes + lane_id();
    sq_dists[r] = INFINITY;
    if (i >= count) continue;
    const PlacedPoint p = d_points[i];
    if (!query.is(p.index)) sq_dists[r] = query.sq_dist_to(p);
    if (sq_dists[r] < INFINITY) farthest = fmaxf(farthest, sq_dists[r]);
  }
  const auto count_within = [&](float sq_dist) {
    int within = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) within += sq_dists[r] <= sq_dist;
    return reduce_add(within);
  };

  // `within` points are within `bound`, `below` < size of them within `low`
  float bound = reduce_max(farthest), low = 0;
  int within = count_within(bound), below = 0;
  if (within < size) return INFINITY;
  const float volume = dimensions == 3 ? 1.5f : 1.0f;  // the exponent of a squared distance
  for (int i = 0; i < k_max_counts && within > size + size / k_count_slack; ++i) {
    // If the density is even, the number of points grows with the volume
    const float low_volume = __powf(low, volume), share = (1.06f * size - below) / (within - below);
    float middle = __powf(low_volume + share * (__powf(bound, volume) - low_volume), 1 / volume);
    if (!(middle > low && middle < bound))
      middle = __uint_as_float((__float_as_uint(low) + __float_as_uint(bound)) / 2);
    if (middle == low) break;
    const int now = count_within(middle);
    (now >= size ? bound : low) = middle;
    (now >= size ? within : below) = now;
  }
  return bound;
}

/// counted_bound() for the points in the middle of a window, or for all of them if these are few.
template <int K>
__device__ __forceinline__ float counted_bound(const PlacedPoint* d_points, const Window& window,
                                               const thread::Query& query, int size, int dimensions) {
  constexpr std::int64_t most = k_bound_rows<K> * k_lanes;
  const std::int64_t length = window.end - window.begin, count = length < most ? length : most;
  return counted_bound<K>(d_points + window.begin + (length - count) / 2, static_cast<int>(count), query, size,
                          dimensions);
}

}  // namespace kann::cuda::warp
