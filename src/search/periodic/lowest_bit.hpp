// The lowest bit of the coordinates of a cloud, which says whether their differences are rounded.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kann/points.hpp"

namespace kann::detail {

/// The largest e for which a finite x is a multiple of 2^e; of 0 the largest int. E.g. 12 → 2, 0.75 → −2.
inline int lowest_bit(double x) {
  if (x == 0) return std::numeric_limits<int>::max();
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t significand = (bits & 0xfffffffffffff) | (exponent > 0 ? 0x10000000000000 : 0);
  return std::max(exponent, 1) - 1075 + std::countr_zero(significand);
}

/// The lowest of all finite coordinates along an axis. Blocks.
int lowest_bit(const PointsView& points, int axis, int threads);

}  // namespace kann::detail
