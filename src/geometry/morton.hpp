// Morton codes: the interleaved bits of the cells of a point, and shifted codes computed from unshifted ones.
#pragma once

#include <cstdint>

#include "geometry/grid.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// The bits of a code that belong to axis 0. The bits of axis a are these shifted left by a.
template <int D>
inline constexpr std::uint64_t k_axis_mask = D == 3 ? 0x1249249249249249u : 0x5555555555555555u;

/// Moves bit i of x, which has 10 bits, to bit 3·i.
KANN_HOST_DEVICE std::uint32_t dilate_by_three(std::uint32_t x) {
  x = (x | x << 16) & 0x030000ffu;
  x = (x | x << 8) & 0x0300f00fu;
  x = (x | x << 4) & 0x030c30c3u;
  return (x | x << 2) & 0x09249249u;
}

/// Moves bit i of x, which has 32 bits, to bit 2·i.
KANN_HOST_DEVICE std::uint64_t dilate_by_two(std::uint32_t bits) {
  std::uint64_t x = bits;
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  x = (x | x << 8) & 0x00ff00ff00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
  x = (x | x << 2) & 0x3333333333333333u;
  return (x | x << 1) & 0x5555555555555555u;
}

/// Interleaves bits [begin, begin + 10) of three words.
KANN_HOST_DEVICE std::uint32_t interleave_ten(std::uint32_t x, std::uint32_t y, std::uint32_t z, int begin) {
  constexpr std::uint32_t ten = 0x3ffu;
  return dilate_by_three(x >> begin & ten) | dilate_by_three(y >> begin & ten) << 1 |
         dilate_by_three(z >> begin & ten) << 2;
}

/// Interleaves the bits of a cell, k_cell_bits<D> + 1 per axis; of each D bits, axis 0 has the lowest. E.g. D = 3:
/// (0b11, 0b01, 0b00) → 0b001'011.
template <int D>
KANN_HOST_DEVICE std::uint64_t interleave(const std::uint32_t (&cell)[D]) {
  if constexpr (D == 3) {
    // Ten bits at a time, since registers of a GPU have 32 bits: 85 instructions, cells included; 64-bit words take 110
    const std::uint32_t top = cell[0] >> 20 | cell[1] >> 20 << 1 | cell[2] >> 20 << 2;
    return static_cast<std::uint64_t>(top) << 60 |
           static_cast<std::uint64_t>(interleave_ten(cell[0], cell[1], cell[2], 10)) << 30 |
           interleave_ten(cell[0], cell[1], cell[2], 0);
  } else {
    return dilate_by_two(cell[0]) | dilate_by_two(cell[1]) << 1;
  }
}

/// Compares two points of one unsigned word per axis in Morton order, without computing codes of D words: the axis with
/// the highest differing bit decides (T. Chan, A minimalist's implementation of an approximate nearest neighbor
/// algorithm in fixed dimensions, 2006). Returns less than 0 if p comes first, 0 if the points are equal.
template <int D, class Word>
KANN_HOST_DEVICE int compare_interleaved(const Word (&p)[D], const Word (&q)[D]) {
  Word of_p = p[D - 1], of_q = q[D - 1], highest = of_p ^ of_q;
  for (int a = D - 2; a >= 0; --a) {
    const Word differing = p[a] ^ q[a];
    if (highest < differing && highest < (highest ^ differing)) {  // the highest bit of `differing` is higher
      highest = differing;
      of_p = p[a];
      of_q = q[a];
    }
  }
  return (of_p > of_q) - (of_p < of_q);
}

/// The code of a point that is shifted by `offset` cells on every axis.
template <int D>
KANN_HOST_DEVICE std::uint64_t shifted_code(const float* point, const Grid& grid, std::uint32_t offset) {
  std::uint32_t cell[D];
  for (int a = 0; a < D; ++a) cell[a] = cell_of<D>(point[a], grid.lo[a], grid.inv) + offset;
  return interleave(cell);
}

/// The unshifted code of the point `point[0 … D−1]`.
template <int D>
KANN_HOST_DEVICE std::uint64_t morton_code(const float* point, const Grid& grid) {
  return shifted_code<D>(point, grid, 0);
}

/// The shifted code from the unshifted code and shift_code(offset): adds on each axis with the bits of the other axes
/// set, so that carries pass through them (dilated addition). 20 instructions.
template <int D>
KANN_HOST_DEVICE std::uint64_t add_shift(std::uint64_t code, std::uint64_t shift) {
  std::uint64_t sum = 0;
  for (int a = 0; a < D; ++a) {
    const std::uint64_t mask = k_axis_mask<D> << a;
    sum |= ((code | ~mask) + (shift & mask)) & mask;
  }
  return sum;
}

/// The offset in cells of shift j of `shifts` on every axis: floor(j·2^cell_bits / shifts) (Chan 1997, Lemma 3.3).
template <int D>
KANN_HOST_DEVICE std::uint32_t shift_cells(int j, int shifts) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(j) << k_cell_bits<D>) /
                                    static_cast<std::uint64_t>(shifts));
}

/// The code of an offset of `cells` cells on every axis, for add_shift().
template <int D>
KANN_HOST_DEVICE std::uint64_t shift_code(std::uint32_t cells) {
  std::uint32_t cell[D];
  for (int a = 0; a < D; ++a) cell[a] = cells;
  return interleave(cell);
}

/// The key that orders the points in a shift: the leading `bits` of the shifted code.
template <int D>
KANN_HOST_DEVICE std::uint64_t sort_key(std::uint64_t code, std::uint64_t shift, int bits) {
  return add_shift<D>(code, shift) >> (k_code_bits<D> - bits);
}

}  // namespace kann::geometry
