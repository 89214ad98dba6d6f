// An order of the points inside one grid cell, finer than any grid. No answer depends on it: like the Hilbert curve, it
// places points that are near in space near each other.
#pragma once

#include <cstdint>
#include <type_traits>

#include "geometry/exact_neighbor.hpp"
#include "geometry/float_bits.hpp"
#include "geometry/host_device.hpp"
#include "geometry/morton.hpp"

namespace kann::geometry {

/// The bits of a float32 or float64 as an integer in the order of the numbers; −0 comes directly before 0.
KANN_HOST_DEVICE std::uint32_t ordered_bits(float x) {
  const std::uint32_t bits = bits_of(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
KANN_HOST_DEVICE std::uint64_t ordered_bits(double x) {
  const std::uint64_t bits = bits_of_double(x), sign = std::uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}

/// Compares two points in the Morton order of their ordered_bits(): distinct points never compare equal, and
/// coordinates between two powers of two compare as in a grid. Returns less than 0 if p comes first, 0 if the points
/// are equal.
template <int D, class Real>
KANN_HOST_DEVICE int compare_within_cell(const Real* p, const Real* q) {
  std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t> p_bits[D], q_bits[D];
  for (int a = 0; a < D; ++a) {
    p_bits[a] = ordered_bits(p[a]);
    q_bits[a] = ordered_bits(q[a]);
  }
  return compare_interleaved(p_bits, q_bits);
}

template <int D, class Real>
KANN_HOST_DEVICE bool precedes_within_cell(const Real* p, const Real* q) {
  return compare_within_cell<D>(p, q) < 0;
}

}  // namespace kann::geometry
