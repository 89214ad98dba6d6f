// An order of points finer than any grid, for what lies within one of its cells. No answer depends on it: like the
// Hilbert curve, it keeps near points near each other.
#pragma once

#include <cstdint>

#include "geometry/float_bits.hpp"
#include "geometry/host_device.hpp"

namespace kann {

/// The bits of a float32 as a number in the order of the floats; −0 comes right before 0.
KANN_HOST_DEVICE std::uint32_t ordered_bits(float x) {
  const std::uint32_t bits = bits_of(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// Morton order of ordered_bits(), the last axis in the highest of each D bits: all different points are told apart,
/// down to the last bit, and points of one power of two as a grid would. Without a code of 32·D bits: the axis in which
/// two points differ in the highest bit tells (T. Chan, A minimalist's implementation of an approximate nearest
/// neighbor algorithm in fixed dimensions, 2006).
template <int D>
KANN_HOST_DEVICE bool comes_finely_before(const float* p, const float* q) {
  std::uint32_t highest = 0;
  bool before = false;
  for (int a = D - 1; a >= 0; --a) {
    const std::uint32_t mine = ordered_bits(p[a]), other = ordered_bits(q[a]), differing = mine ^ other;
    if (highest < differing && highest < (highest ^ differing)) {  // its highest bit is the higher
      highest = differing;
      before = mine < other;
    }
  }
  return before;
}

}  // namespace kann
