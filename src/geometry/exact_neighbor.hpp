// The order of neighbours that defines the exact answer, and the distance that is written.
#pragma once

#include <cmath>
#include <cstdint>

#include "geometry/float_bits.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// A neighbour of the exact answer. The k neighbours of a query are the first k in this order.
struct ExactNeighbor {
  double sq_dist;  ///< sq_distance() in float64, of the coordinates as they were given
  std::uint32_t index;

  KANN_HOST_DEVICE bool operator<(const ExactNeighbor& other) const {
    return sq_dist < other.sq_dist || (sq_dist == other.sq_dist && index < other.index);
  }
};

/// The float32 nearest to the square root of `sq_dist` ≥ 0; ties to even. E.g. 2 → 1.41421354, 1e-100 → 0, 1e80 →
/// infinity.
///
/// To round the float64 root again would be wrong where that root is the middle of two float32s, and the true root is
/// not. So the root is first rounded to odd: down, with the last bit set unless it is exact. Rounding that to 24 bits
/// or fewer is the same as rounding the true root, since 53 ≥ 24 + 2 (S. Boldo, G. Melquiond, Emulation of FMA and
/// correctly rounded sums, IEEE Transactions on Computers 57, 2008). Where root² − sq_dist underflows, the root is
/// below 2⁻⁴⁸⁰, and the result is 0 in any case.
KANN_HOST_DEVICE float rounded_root(double sq_dist) {
  const double root = std::sqrt(sq_dist);
  if (root >= 0x1p128) return INFINITY;
  if (root == 0) return 0;
  const double above = std::fma(root, root, -sq_dist);  // its sign is that of root − the true root
  const std::uint64_t odd = (bits_of_double(root) - (above > 0 ? 1 : 0)) | (above != 0 ? 1 : 0);
  return static_cast<float>(double_of(odd));
}

}  // namespace kann::geometry
