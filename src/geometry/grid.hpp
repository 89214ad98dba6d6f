// From coordinates to integer cells. Everything after this step is integer arithmetic, until the distances.
#pragma once

#include <cstdint>

#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Bits a cell has on each axis. One more bit an axis is left free in the Morton code, so that shifts do not overflow:
/// 21 bits in 3-D (63-bit codes), 31 bits in 2-D (62-bit codes).
template <int D>
inline constexpr int k_cell_bits = D == 3 ? 20 : 30;

/// Bits of a Morton code.
template <int D>
inline constexpr int k_code_bits = D*(k_cell_bits<D> + 1);

/// The cubic grid over the data's box: cell = trunc((x − lo)·inv) on each axis. One scale serves all axes, since a
/// scale an axis would make far points near (recall 0.149 against 1.000 on a 1e4:1:1 slab).
struct Grid {
  float lo[3] = {0, 0, 0};
  float inv = 0;  ///< cells a unit of length; 0 when all points are one
};

/// The cell of coordinate `x` on one axis; points outside the box take its outermost cells.
/// E.g. lo = 0, inv = 2²⁰ (a unit cube): 0.5 → 524288, −3 → 0, 1 → 1048575.
template <int D>
KANN_HOST_DEVICE std::uint32_t cell_of(float x, float lo, float inv) {
  // The largest float below 2^cell_bits.
  constexpr float last = D == 3 ? 1048575.0f : 1073741760.0f;
  const float t = (x - lo) * inv;
#ifdef __CUDA_ARCH__
  return static_cast<std::uint32_t>(fminf(fmaxf(t, 0.0f), last));  // the same, without a comparison
#else
  if (!(t > 0.0f)) return 0;
  return static_cast<std::uint32_t>(t < last ? t : last);
#endif
}

}  // namespace kann::geometry
