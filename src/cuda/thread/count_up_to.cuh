// A binary search whose number of steps is the same for all threads of a warp.
#pragma once

#include <cstdint>

namespace kann::cuda::thread {

/// How many of `count` ascending keys are at most `last`. Halves the range while it is long and then fetches the last few
/// keys at once, since each step waits for a fetch. keys 2 3 3 7, last 3: 3.
__device__ __forceinline__ std::uint32_t count_up_to(const std::uint64_t* d_keys, std::uint32_t count,
                                                     std::uint64_t last) {
  constexpr int few = 8;
  std::uint32_t found = 0;  // keys known to be at most `last`
  while (count > few) {
    const std::uint32_t half = (count + 1) / 2;
    if (d_keys[found + half - 1] <= last) found += half;
    count -= half;
  }
  // From one address: from d_keys, each fetch would make its own of found + j
  const std::uint64_t* const d_last_few = d_keys + found;
#pragma unroll
  for (int j = 0; j < few; ++j)
    if (j < count) found += d_last_few[j] <= last;
  return found;
}

}  // namespace kann::cuda::thread
