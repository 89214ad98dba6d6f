// The distances, and the order of neighbours that defines the answer of the shifted sort. The order that defines the
// exact answer is in exact_neighbor.hpp.
#pragma once

#include <cmath>
#include <cstdint>

#include "geometry/float_bits.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Squared Euclidean distance, in float32 or float64, by a fixed chain of fused operations, fma(dz, dz, fma(dy, dy,
/// dx·dx)), so that host and device agree to the last bit. It is monotone in every |difference|, rounding included.
template <class Real>
KANN_HOST_DEVICE Real sq_distance_3d(Real dx, Real dy, Real dz) {
  return std::fma(dz, dz, std::fma(dy, dy, dx * dx));
}
template <class Real>
KANN_HOST_DEVICE Real sq_distance_2d(Real dx, Real dy) {
  return std::fma(dy, dy, dx * dx);
}

/// The squared distance of two points of D coordinates, in float32 or float64.
template <int D, class Real>
KANN_HOST_DEVICE Real sq_distance(const Real* p, const Real* q) {
  if constexpr (D == 3) return sq_distance_3d(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  return sq_distance_2d(p[0] - q[0], p[1] - q[1]);
}

/// A neighbour as one number: the bits of its squared distance above its index. Squared distances are not negative, so
/// the unsigned order of keys is the order of (d², index), and equal keys are the same neighbour.
using NeighborKey = std::uint64_t;

/// A missing neighbour; it sorts after all others.
inline constexpr NeighborKey k_absent = ~NeighborKey{0};

KANN_HOST_DEVICE NeighborKey neighbor_key(float sq_dist, std::uint32_t index) {
  return static_cast<NeighborKey>(bits_of(sq_dist)) << 32 | index;
}

/// The squared distance in a key; NaN for k_absent.
KANN_HOST_DEVICE float sq_dist_of(NeighborKey key) { return float_of(static_cast<std::uint32_t>(key >> 32)); }

/// The index in a key; k_absent gives −1, the id of a missing neighbour.
KANN_HOST_DEVICE std::int32_t neighbor_id(NeighborKey key) { return static_cast<std::int32_t>(key & 0xffffffffu); }

/// The Euclidean distance in a key, in the unit of the input coordinates: the correctly rounded root times `unit`, the
/// power of two that the search divided the coordinates by. k_absent gives infinity.
KANN_HOST_DEVICE float neighbor_distance(NeighborKey key, double unit) {
  if (key == k_absent) return INFINITY;
#ifdef __CUDA_ARCH__
  return static_cast<float>(__fsqrt_rn(sq_dist_of(key)) * unit);
#else
  return static_cast<float>(std::sqrt(sq_dist_of(key)) * unit);
#endif
}

}  // namespace kann::geometry
