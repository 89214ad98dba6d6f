// From coordinates to integer cells. The orders of the points are computed from the cells, in integer arithmetic.
#pragma once

#include <cstdint>

#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Bits of a cell's number on each axis. A Morton code has one more bit per axis, so that shifts do not overflow: 21
/// bits in 3-D (63-bit codes), 31 bits in 2-D (62-bit codes).
template <int D>
inline constexpr int k_cell_bits = D == 3 ? 20 : 30;

/// Bits of a Morton code.
template <int D>
inline constexpr int k_code_bits = D*(k_cell_bits<D> + 1);

/// The grid of cubic cells over the data: cell = trunc((x − lo)·inv) on each axis. All axes have one scale, since with
/// a scale per axis distant points would share cells (recall 0.149 instead of 1.000 on a 1e4:1:1 slab).
struct Grid {
  float lo[3] = {0, 0, 0};
  float inv = 0;  ///< cells per unit of length; 0 when all points are identical
};

/// The cell of coordinate `x` on one axis. Points outside the grid are in its outermost cells.
/// E.g. lo = 0, inv = 2²⁰ (a unit cube): 0.5 → 524288, −3 → 0, 1 → 1048575.
template <int D>
KANN_HOST_DEVICE std::uint32_t cell_of(float x, float lo, float inv) {
  // The largest float below 2^cell_bits.
  constexpr float last = D == 3 ? 1048575.0f : 1073741760.0f;
  const float t = (x - lo) * inv;
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(fminf(fmaxf(t, 0.0f), last));  // the same value without a branch
#else
  if (!(t > 0.0f)) return 0;
  return static_cast<std::uint32_t>(t < last ? t : last);
#endif
}

}  // namespace kann::geometry
