// Hilbert codes: like Morton codes, but the curve never jumps, so that any stretch of it is one compact piece of space.
// The shifted sort is defined on Morton codes; Hilbert serves where the answer does not depend on the order.
#pragma once

#include <cstdint>

#include "geometry/grid.hpp"
#include "geometry/host_device.hpp"

namespace kann {

/// Bits of a Hilbert code.
template <int D>
inline constexpr int k_hilbert_bits = D* k_cell_bits<D>;

/// The place along the Hilbert curve of the cell that the point lies in, k_hilbert_bits<D> bits, of which those past
/// the leading `levels` bits of each axis are 0. J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 2004:
/// the cells that a level is cut into are taken in the order of a Gray code, which is reflected and has its axes
/// swapped as the levels above tell.
template <int D>
KANN_HOST_DEVICE std::uint64_t hilbert_code(const float* point, const Grid& grid, int levels = k_cell_bits<D>) {
  constexpr int word_bits = 32;
  std::uint32_t cell[D];  // what is left of it, from the highest bit of the word down
  for (int a = 0; a < D; ++a) cell[a] = cell_of<D>(point[a], grid.lo[a], grid.inv) << (word_bits - k_cell_bits<D>);

  std::uint64_t code = 0;
  std::uint32_t parity = 0;  // of all bits so far; like `bit`, a word of that bit
  for (int level = 0; level < levels; ++level) {
    std::uint32_t bit[D];
    for (int a = 0; a < D; ++a) bit[a] = 0 - (cell[a] >> (word_bits - 1));

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
  return code << D * (k_cell_bits<D> - levels);
}

}  // namespace kann
