// The shape of a system of radial basis functions: it has n = points + monomials rows, those of the points first.
#pragma once

#include "geometry/host_device.hpp"

namespace kann::interpolation {

/// The largest number of neighbours per query.
inline constexpr int k_max_points = 64;

/// 1; x, y, z; x², xy, xz, y², yz, z²: in this order, in 3-D. A set of monomials is an integer, one bit per monomial.
inline constexpr int k_monomials = 10;
inline constexpr int k_max_rows = k_max_points + k_monomials;

/// The monomials of a polynomial of `degree` (from −1, which has none, to 2) in 2 or 3 dimensions, as a set.
KANN_HOST_DEVICE constexpr unsigned monomials_of(int degree, int dimensions) {
  const unsigned without_z = dimensions == 2 ? 0b0010110111u : ~0u;
  return without_z & (degree < 0 ? 0u : degree == 0 ? 0b1u : degree == 1 ? 0b1111u : 0b1111111111u);
}

KANN_HOST_DEVICE int monomial_count(unsigned monomials) {
  int count = 0;
  for (; monomials; monomials &= monomials - 1) ++count;
  return count;
}

/// A pivot of at most this may be a zero that rounding has changed, since the largest elements of the matrices are near
/// 1: a power of two scales the kernel's elements (kernel_scale()), and the monomials have coordinates in [−1, 1].
/// cpu/interpolation/irregular_queries.cpp looks at such a system again.
KANN_HOST_DEVICE double smallest_pivot(int rows) { return rows * 0x1p-52; }

}  // namespace kann::interpolation
