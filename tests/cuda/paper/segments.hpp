// The segmented exclusive sum of bits, by std::exclusive_scan of each segment.
#pragma once

#include <numeric>
#include <vector>

#include "clouds.hpp"

namespace kann::test {

/// The sums of the 32 lanes of a warp. Bit i of `heads`: lane i begins a segment; lane 0 does in any case.
inline std::vector<unsigned> segmented_sums(unsigned bits, unsigned heads) {
  std::vector<unsigned> values(32), sums(32);
  for (int lane = 0; lane < 32; ++lane) values[lane] = bits >> lane & 1;
  for (int head = 0, next; head < 32; head = next) {
    for (next = head + 1; next < 32 && !(heads >> next & 1);) ++next;
    std::exclusive_scan(values.begin() + head, values.begin() + next, sums.begin() + head, 0u);
  }
  return sums;
}

/// Head flags of segments of `length` lanes, the last one cut off by the end of the warp.
inline unsigned heads_of_length(int length) {
  unsigned heads = 0;
  for (int lane = 0; lane < 32; lane += length) heads |= 1u << lane;
  return heads;
}

/// Head flags of segments of random lengths, 1 to 32.
inline unsigned random_heads(Random& random) {
  unsigned heads = 0;
  for (std::uint64_t lane = 0; lane < 32; lane += 1 + random.below(32)) heads |= 1u << lane;
  return heads;
}

inline unsigned random_bits(Random& random) { return static_cast<unsigned>(random.below(1ull << 32)); }

}  // namespace kann::test
