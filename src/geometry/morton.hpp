// Morton codes: the bits of the cells of a point interleaved, and codes moved by a shift without their point.
#pragma once

#include <cstdint>

#include "geometry/grid.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// The bits of a code that belong to axis 0. Axis a owns the same bits moved up by a.
template <int D>
inline constexpr std::uint64_t k_axis_mask = D == 3 ? 0x1249249249249249u : 0x5555555555555555u;

/// Moves bit i of x, of 10, to bit 3·i.
KANN_HOST_DEVICE std::uint32_t dilate_by_three(std::uint32_t x) {
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

/// Moves bit i of x, of 32, to bit 2·i.
KANN_HOST_DEVICE std::uint64_t dilate_by_two(std::uint32_t bits) {
  std::uint64_t x = bits;
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  x = (x | x << 8) & 0x00ff00ff00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x << 2) & 0x3333333333333333u;
  return (x | x << 1) & 0x5555555555555555u;
}

/// Bits [begin, begin + 10) of three words, interleaved.
KANN_HOST_DEVICE std::uint32_t interleave_ten(std::uint32_t x, std::uint32_t y, std::uint32_t z, int begin) {
  constexpr std::uint32_t ten = 0x3ffu;
  return dilate_by_three(x >> begin & ten) | dilate_by_three(y >> begin & ten) << 1 |
         dilate_by_three(z >> begin & ten) << 2;
}

/// Interleaves the bits of a cell of k_cell_bits<D> + 1 bits an axis, those of axis 0 lowest of each D. E.g. D = 3:
/// (0b11, 0b01, 0b00) → 0b001'011.
template <int D>
KANN_HOST_DEVICE std::uint64_t interleave(const std::uint32_t (&cell)[D]) {
  if constexpr (D == 3) {
    // In tens, since a GPU's words have 32 bits: 85 instructions with the cells, and 110 by words of 64
    const std::uint32_t top = cell[0] >> 20 | cell[1] >> 20 << 1 | cell[2] >> 20 << 2;
    return static_cast<std::uint64_t>(top) << 60 |
           static_cast<std::uint64_t>(interleave_ten(cell[0], cell[1], cell[2], 10)) << 30 |
           interleave_ten(cell[0], cell[1], cell[2], 0);
  } else {
    return dilate_by_two(cell[0]) | dilate_by_two(cell[1]) << 1;
  }
}

/// Compares words of 32 bits an axis in the order of their bits interleaved, without a code of 32·D bits: the axis in
/// which they differ in the highest bit tells (T. Chan, A minimalist's implementation of an approximate nearest
/// neighbor algorithm in fixed dimensions, 2006). Less than 0 where p comes first, 0 where they are equal.
template <int D>
KANN_HOST_DEVICE int compare_interleaved(const std::uint32_t (&p)[D], const std::uint32_t (&q)[D]) {
  std::uint32_t of_p = p[D - 1], of_q = q[D - 1], highest = of_p ^ of_q;
  for (int a = D - 2; a >= 0; --a) {
    const std::uint32_t differing = p[a] ^ q[a];
    if (highest < differing && highest < (highest ^ differing)) {  // its highest bit is the higher
      highest = differing;
      of_p = p[a];
      of_q = q[a];
    }
  }
  return (of_p > of_q) - (of_p < of_q);
}

/// The code of a point of which every cell is moved by `offset` cells.
template <int D>
KANN_HOST_DEVICE std::uint64_t shifted_code(const float* point, const Grid& grid, std::uint32_t offset) {
  std::uint32_t cell[D];
  for (int a = 0; a < D; ++a) cell[a] = cell_of<D>(point[a], grid.lo[a], grid.inv) + offset;
  return interleave(cell);
}

/// The code of the point at `point[0 … D−1]`, unshifted: axis 0 in the lowest of each D bits.
template <int D>
KANN_HOST_DEVICE std::uint64_t morton_code(const float* point, const Grid& grid) {
  return shifted_code<D>(point, grid, 0);
}

/// The same from the code of the unshifted point and shift_code(offset): a sum on each axis at once, with the other
/// axes' bits set so that carries run through them (dilated addition). 20 instructions.
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

/// The code of a point whose every cell is `cells`: a shift by as many cells, for add_shift().
template <int D>
KANN_HOST_DEVICE std::uint64_t shift_code(std::uint32_t cells) {
  std::uint32_t cell[D];
  for (int a = 0; a < D; ++a) cell[a] = cells;
  return interleave(cell);
}

/// The number that orders points in a shift: the leading `bits` of the shifted code.
template <int D>
KANN_HOST_DEVICE std::uint64_t sort_key(std::uint64_t code, std::uint64_t shift, int bits) {
  return add_shift<D>(code, shift) >> (k_code_bits<D> - bits);
}

}  // namespace kann::geometry
