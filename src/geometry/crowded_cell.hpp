// An order of points finer than any grid, for what lies within one of its cells. No answer depends on it: like the
// Hilbert curve, it keeps near points near each other.
#pragma once

#include <cstdint>

#include "geometry/float_bits.hpp"
#include "geometry/host_device.hpp"
#include "geometry/morton.hpp"

namespace kann::geometry {

/// The bits of a float32 as a number in the order of the floats; −0 comes right before 0.
KANN_HOST_DEVICE std::uint32_t ordered_bits(float x) {
  const std::uint32_t bits = bits_of(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// Compares points in the Morton order of their ordered_bits(): all different points are told apart, down to the last
/// bit, and points of one power of two as a grid would. Less than 0 where p comes first.
template <int D>
KANN_HOST_DEVICE int compare_within_cell(const float* p, const float* q) {
  std::uint32_t p_bits[D], q_bits[D];
  for (int a = 0; a < D; ++a) {
    p_bits[a] = ordered_bits(p[a]);
    q_bits[a] = ordered_bits(q[a]);
  }
  return compare_interleaved(p_bits, q_bits);
}

template <int D>
KANN_HOST_DEVICE bool precedes_within_cell(const float* p, const float* q) {
  return compare_within_cell<D>(p, q) < 0;
}

}  // namespace kann::geometry
