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

}  // namespace kann::geometry
