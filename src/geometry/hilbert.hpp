// Hilbert codes: like Morton codes, but the curve never jumps, so that any stretch of it is one compact piece of space.
// The shifted sort is defined on Morton codes; Hilbert serves where the answer does not depend on the order.
#pragma once

#include <cstdint>

#include "geometry/grid.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Bits of a Hilbert code.
template <int D>
inline constexpr int k_hilbert_bits = D* k_cell_bits<D>;

/// Moves the highest bit of a cell to the highest of its word.
template <int D>
inline constexpr int k_hilbert_left = 32 - k_cell_bits<D>;

/// Adds the next digit, D bits, to a Hilbert code, from what is left of a cell: its bits from the highest of a word
/// down. The cells that a level is cut into are taken in the order of a Gray code, which is reflected and has its axes
/// swapped as the levels above require (J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 2004).
/// `parity`, 0 before the first level, is of all bits so far.
template <int D, class Word>
KANN_HOST_DEVICE void add_hilbert_digit(std::uint32_t (&cell)[D], std::uint32_t& parity, Word& code) {
  std::uint32_t bit[D];  // like parity, a word of that bit
  for (int a = 0; a < D; ++a) bit[a] = 0 - (cell[a] >> 31);

  // The level's digit, out of its Gray code
  std::uint32_t digit = 0;
  for (int a = 0; a < D; ++a) {
    parity ^= bit[a];
    digit |= parity & (1u << (D - 1 - a));
  }
  code = code << D | digit;

  // Reflect and swap the levels below
  cell[0] ^= bit[0];
  for (int a = 1; a < D; ++a) {
    const std::uint32_t swapped = (cell[0] ^ cell[a]) & ~bit[a];
    cell[0] ^= swapped ^ bit[a];
    cell[a] ^= swapped;
  }
  for (int a = 0; a < D; ++a) cell[a] <<= 1;
}

/// The place along the Hilbert curve of the cell that the point lies in, k_hilbert_bits<D> bits, of which those past
/// the leading `bits_per_axis` bits of each axis are 0.
template <int D>
KANN_HOST_DEVICE std::uint64_t hilbert_code(const float* point, const Grid& grid, int bits_per_axis = k_cell_bits<D>) {
  std::uint32_t cell[D];
  for (int a = 0; a < D; ++a) cell[a] = cell_of<D>(point[a], grid.lo[a], grid.inv) << k_hilbert_left<D>;

  std::uint64_t code = 0;
  std::uint32_t parity = 0;
  for (int bit = 0; bit < bits_per_axis; ++bit) add_hilbert_digit(cell, parity, code);
  return code << D * (k_cell_bits<D> - bits_per_axis);
}

}  // namespace kann::geometry
