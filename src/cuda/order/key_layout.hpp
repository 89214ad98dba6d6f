// How a point's code and its index share one word of 64 bits, so that a sort moves 8 bytes a point and not 12.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cuda/names.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda {

/// A packed key: the leading `prefix_bits` of the bits that a shift compares, then `payload_bits` of a payload below
/// the number of points. What is compared and not sorted by parts the points of a run, those whose sorted bits are
/// equal; most runs are short, and they are put in order when points are placed (place.hpp).
struct KeyLayout {
  int payload_bits = 0;
  int prefix_bits = 0;
  int unused_bits = 0;  ///< of the prefix: leading bits that are 0 in all keys
  int sorted_bits = 0;  ///< of the prefix: those after them that are sorted by
  int rest_bits = 0;    ///< compared, and not in the prefix

  /// Those that are not 0 in all keys.
  KANN_HOST_DEVICE int key_bits() const { return payload_bits + prefix_bits - unused_bits; }
  KANN_HOST_DEVICE int first_sorted_bit() const { return key_bits() - sorted_bits; }
  KANN_HOST_DEVICE bool sorts_prefix() const { return first_sorted_bit() == payload_bits; }
};

/// The layout for `count` points of which `bits` leading bits of the code are compared, `unused` of them 0 in all; the
/// prefix is to have `prefix` of the others, and sorts go by `sorted` of those. Each 8 are a pass of the sort; 37 part
/// all of 2²³ uniform points but 6 in 10⁵.
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
