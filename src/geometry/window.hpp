// Which data points a shift offers to a query.
#pragma once

#include <cstdint>

#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Positions [begin, end) in a shift's order.
struct Window {
  std::int64_t begin;
  std::int64_t end;
};

/// The 2·half positions around `rank` in an order of `n` points, moved to lie inside [0, n): W points on each side of
/// the query (Li et al. 2012, Algorithm 1; Park 2017, Step 9). E.g. n = 10, half = 2: rank 5 → [3, 7), rank 0 → [0, 4).
KANN_HOST_DEVICE Window window_around(std::int64_t rank, std::int64_t half, std::int64_t n) {
  if (half >= n - half) return {0, n};  // not 2·half >= n, which can overflow
  const std::int64_t last = n - 2 * half;
  std::int64_t begin = rank - half;
  begin = begin < 0 ? 0 : begin > last ? last : begin;
  return {begin, begin + 2 * half};
}

/// How many of its nearest tell whether a query stands off the data.
inline constexpr int k_far_neighbors = 8;

/// Whether a query stands off the data, by the squared distances of the nearest and the eighth nearest of its window in
/// shift 0; not if there are fewer, the eighth then being infinite or NaN. Beside a surface, the nearest lie in a small
/// disc, all about as far, and the points of their cells are many: such a query is offered its far window in every
/// shift. Among the points that it resembles it rarely is: for uniform points in 3-D, (1 − 1.5^−1.5)^7 = 0.4 % of
/// queries.
KANN_HOST_DEVICE bool is_far(float nearest_sq_dist, float eighth_sq_dist) {
  return eighth_sq_dist < 1.5f * nearest_sq_dist;
}

}  // namespace kann::geometry
