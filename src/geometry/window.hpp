// The data points that are the candidates of a query in one shift.
#pragma once

#include <cstdint>

#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Positions [begin, end) in the order of a shift.
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

/// The number of nearest neighbours that decide whether a query is a far query.
inline constexpr int k_far_neighbors = 8;

/// Whether a query is a far query, one off the surface of the data, from the squared distances of the nearest and the
/// eighth nearest of its window in shift 0. With fewer than eight candidates the eighth is infinite or NaN, and the
/// query is no far query. The nearest neighbours of a far query lie in a small disc of the surface at almost equal
/// distances, and there are many points in their cells: such a query gets its far window in every shift. A query
/// distributed like the data is rarely one: for uniform points in 3-D, (1 − 1.5^−1.5)^7 = 0.4 % of the queries.
KANN_HOST_DEVICE bool is_far(float nearest_sq_dist, float eighth_sq_dist) {
  return eighth_sq_dist < 1.5f * nearest_sq_dist;
}

}  // namespace kann::geometry
