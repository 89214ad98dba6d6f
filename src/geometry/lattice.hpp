// Clouds on a binary lattice, as integers are: there float32 squared distances are exact, and many of them are equal.
//
// Let all coordinates be multiples of q, a power of two. Differences, squares and sums are multiples of q or q², and
// float32 holds such a number exactly below 2²⁴·q or 2²⁴·q²; sq_distance() is monotone in every operation. So below
// 2²⁴·q², a float32 squared distance is exact, and where the true one is at least that, so is the computed one.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "geometry/float_bits.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// last_bit() of 0, which is a multiple of every power of two.
inline constexpr int k_no_last_bit = std::numeric_limits<int>::max();

/// The exponent of the lowest set bit of a float32: x is an odd multiple of 2 to this power. E.g. 12 → 2, 0.75 → −2.
KANN_HOST_DEVICE int last_bit(float x) {
  const std::uint32_t magnitude = bits_of(x) & 0x7fffffff;
  if (magnitude == 0) return k_no_last_bit;
  const int exponent = static_cast<int>(magnitude >> 23);
  const std::uint32_t fraction = exponent == 0 ? magnitude : (magnitude & 0x7fffff) | 0x800000;
#ifdef __CUDA_ARCH__
  const int zeros = __ffs(static_cast<int>(fraction)) - 1;
#else
  const int zeros = std::countr_zero(fraction);
#endif
  return (exponent == 0 ? 1 : exponent) - 150 + zeros;
}

/// The limit below which float32 squared distances are exact if `step` is the least last_bit() of all coordinates: a
/// computed squared distance is the true one if that is below the limit, and is at least the limit otherwise. The limit
/// is 0 where float32 does not hold the squares.
KANN_HOST_DEVICE float exact_float32_limit(int step) {
  if (step == k_no_last_bit) return float_of(0x7f7fffff);  // all coordinates are 0: the largest float32
  if (2 * step < -149) return 0;
  const int exponent = 2 * step + 24 < 127 ? 2 * step + 24 : 127;
  return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
}

}  // namespace kann::geometry
