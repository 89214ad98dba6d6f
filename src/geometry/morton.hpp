// Morton codes: the bits of the cells of a point interleaved, and codes moved by a shift without their point.
#pragma once

#include <cstdint>

#include "geometry/grid.hpp"
#include "geometry/host_device.hpp"

namespace kann {

/// The bits of a code that belong to axis 0. Axis a owns the same bits moved up by a.
template <int D>
inline constexpr std::uint64_t k_axis_mask = D == 3 ? 0x1249249249249249u : 0x5555555555555555u;

/// The same for 11 bits and three axes, in one word of 32 bits.
KANN_HOST_DEVICE std::uint32_t dilate_low(std::uint32_t x) {
  x = (x | x << 16) & 0x070000ffu;
  x = (x | x << 8) & 0x0700f00fu;
  x = (x | x << 4) & 0x430c30c3u;
  return (x | x << 2) & 0x49249249u;
}

/// Moves bit i of `cell`, of k_cell_bits<D> + 1, to bit D·i. E.g. D = 3: 0b101 → 0b001'000'001.
template <int D>
KANN_HOST_DEVICE std::uint64_t dilate(std::uint32_t cell) {
  std::uint64_t x = cell;
  if constexpr (D == 3) {
    // In halves: a GPU's words have 32 bits.
    x = static_cast<std::uint64_t>(dilate_low(cell >> 10)) << 30 | dilate_low(cell & 0x3ffu);
  } else {
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    x = (x | x << 1) & 0x5555555555555555u;
  }
  return x;
}

/// The code of the point at `point[0 … D−1]`, unshifted: axis 0 in the lowest of each D bits.
template <int D>
KANN_HOST_DEVICE std::uint64_t morton_code(const float* point, const Grid& grid) {
  std::uint64_t code = 0;
  for (int a = 0; a < D; ++a) code |= dilate<D>(cell_of<D>(point[a], grid.lo[a], grid.inv)) << a;
  return code;
}

/// The code of a point whose every cell is moved by the amount that `shift` holds dilated on every axis: a sum on each
/// axis at once, with the other axes' bits set so that carries run through them (dilated addition).
template <int D>
KANN_HOST_DEVICE std::uint64_t add_shift(std::uint64_t code, std::uint64_t shift) {
  std::uint64_t sum = 0;
  for (int a = 0; a < D; ++a) {
    const std::uint64_t mask = k_axis_mask<D> << a;
    sum |= ((code | ~mask) + (shift & mask)) & mask;
  }
  return sum;
}

/// By how many cells shift j of `shifts` moves every axis: floor(j·2^cell_bits / shifts) (Chan 1997, Lemma 3.3).
template <int D>
KANN_HOST_DEVICE std::uint32_t shift_cells(int j, int shifts) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(j) << k_cell_bits<D>) /
                                    static_cast<std::uint64_t>(shifts));
}

/// That shift as a code.
template <int D>
KANN_HOST_DEVICE std::uint64_t shift_code(int j, int shifts) {
  const std::uint64_t dilated = dilate<D>(shift_cells<D>(j, shifts));
  std::uint64_t code = 0;
  for (int a = 0; a < D; ++a) code |= dilated << a;
  return code;
}

/// The same code as add_shift gives, made from the point: its cells, each moved by `offset` cells, then interleaved.
template <int D>
KANN_HOST_DEVICE std::uint64_t shifted_code(const float* point, const Grid& grid, std::uint32_t offset) {
  std::uint64_t code = 0;
  for (int a = 0; a < D; ++a) code |= dilate<D>(cell_of<D>(point[a], grid.lo[a], grid.inv) + offset) << a;
  return code;
}

/// The number that orders points in a shift: the leading `bits` of the shifted code.
template <int D>
KANN_HOST_DEVICE std::uint64_t sort_key(std::uint64_t code, std::uint64_t shift, int bits) {
  return add_shift<D>(code, shift) >> (k_code_bits<D> - bits);
}

}  // namespace kann
