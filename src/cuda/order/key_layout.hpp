// How a point's code and its index share one word of 64 bits, so that a sort moves 8 bytes per point and not 12.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda {

/// A packed key: `prefix_bits`, the first of the bits that a shift compares, then `payload_bits` of a payload that is
/// less than the number of points. Points whose sorted bits are equal form a run. Most runs are short; their points are
/// put in the order of the other compared bits when they are placed (place.hpp).
struct KeyLayout {
  int payload_bits = 0;
  int prefix_bits = 0;
  int unused_bits = 0;  ///< leading bits of the prefix that are 0 in all keys
  int sorted_bits = 0;  ///< bits of the prefix after the unused ones that points are sorted by
  int rest_bits = 0;    ///< compared bits that are not in the prefix

  /// The bits of a key without the unused ones.
  KANN_HOST_DEVICE int key_bits() const { return payload_bits + prefix_bits - unused_bits; }
  KANN_HOST_DEVICE int first_sorted_bit() const { return key_bits() - sorted_bits; }
  KANN_HOST_DEVICE bool sorts_prefix() const { return first_sorted_bit() == payload_bits; }
};

/// The layout for `count` points. `bits` leading bits of a code are compared, the first `unused` of which are 0 in all
/// codes. The prefix gets `prefix` of the others, if the word has them left, and sorts use `sorted` of those. A pass of
/// the sort takes 8 bits; 37 bits separate all of 2²³ uniform points but 6 in 10⁵.
/// Example: 2²³ points, bits = 63, unused = 3 and prefix = sorted = 40 give payload 23, prefix 41, sorted 38, rest 22.
inline KeyLayout key_layout(std::int64_t count, int bits, int unused, int prefix, int sorted) {
  KeyLayout layout;
  layout.payload_bits =
      std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count > 0 ? count - 1 : 0))));
  layout.prefix_bits = std::min({bits, unused + prefix, 64 - layout.payload_bits});
  layout.unused_bits = std::min(unused, layout.prefix_bits - 1);
  layout.sorted_bits = std::min(layout.prefix_bits - layout.unused_bits, sorted);
  layout.rest_bits = bits - layout.prefix_bits;
  return layout;
}

}  // namespace kann::cuda
