// Hilbert codes: like Morton codes, but consecutive cells of the curve are adjacent, so that every interval of the
// curve is one compact region. The shifted sort is defined on Morton codes; Hilbert codes are used where the answer
// does not depend on the order.
#pragma once

#include <cstdint>

#include "geometry/grid.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Bits of a Hilbert code.
template <int D>
inline constexpr int k_hilbert_bits = D* k_cell_bits<D>;

/// The left shift that moves the highest bit of a cell to the highest bit of its word.
template <int D>
inline constexpr int k_hilbert_left = 32 - k_cell_bits<D>;

/// Appends the digit of the next level, D bits, to a Hilbert code. `cell` has the remaining bits of the cell, the next
/// one highest in its word. The 2^D cells of a level follow a Gray code, reflected and with axes swapped as the levels
/// above require (J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 2004). `parity` is the parity of all
/// bits so far, as a word of equal bits; pass 0 for the first level.
template <int D, class Word>
KANN_HOST_DEVICE void add_hilbert_digit(std::uint32_t (&cell)[D], std::uint32_t& parity, Word& code) {
  std::uint32_t bit[D];  // a word of 32 copies of the bit, like parity
  for (int a = 0; a < D; ++a) bit[a] = 0 - (cell[a] >> 31);

  // Decode the digit from its Gray code
  std::uint32_t digit = 0;
  for (int a = 0; a < D; ++a) {
    parity ^= bit[a];
    digit |= parity & (1u << (D - 1 - a));
  }
  code = code << D | digit;

  // Reflect and swap the remaining levels
  cell[0] ^= bit[0];
  for (int a = 1; a < D; ++a) {
    const std::uint32_t swapped = (cell[0] ^ cell[a]) & ~bit[a];
    cell[0] ^= swapped ^ bit[a];
    cell[a] ^= swapped;
  }
  for (int a = 0; a < D; ++a) cell[a] <<= 1;
}

/// The position along the Hilbert curve of the cell of a point, k_hilbert_bits<D> bits. Only the leading
/// `bits_per_axis` bits of each axis count; the bits of the other levels are 0.
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
