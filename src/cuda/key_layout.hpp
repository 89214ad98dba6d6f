// How a point's code and its index share one word of 64 bits, so that a sort moves 8 bytes a point and not 12.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace kann::cuda {

/// A packed key: the leading `prefix_bits` of the bits that a shift compares, then `payload_bits` of a payload below
/// the number of points. The `rest_bits` that are compared but not in the prefix part points of equal prefixes; few
/// have one, and they are put in order when points are placed (place.hpp).
struct KeyLayout {
  int payload_bits = 0;
  int prefix_bits = 0;
  int sorted_bits = 0;  ///< of the prefix; those before are 0 in all keys
  int rest_bits = 0;
};

/// The layout for `count` points of which `bits` leading bits of the code are compared, `unused` of them 0 in all. Each
/// 8 bits are a pass of the sort; 37 bits part all of 2²³ uniform points but 6 in 10⁵.
inline KeyLayout key_layout(std::int64_t count, int bits, int unused) {
  constexpr std::int64_t few = 1 << 20;
  KeyLayout layout;
  layout.payload_bits =
      std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count > 0 ? count - 1 : 0))));
  layout.prefix_bits = std::min({bits, unused + (count <= few ? 32 : 40), 64 - layout.payload_bits});
  layout.sorted_bits = std::max(1, layout.prefix_bits - unused);
  layout.rest_bits = bits - layout.prefix_bits;
  return layout;
}

}  // namespace kann::cuda
