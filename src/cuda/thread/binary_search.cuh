// Binary searches by one thread.
#pragma once

#include <cstdint>

namespace kann::cuda::thread {

/// The first place in [begin, end) for which before(place) is false, or `end`; from that place on, it must be false for
/// all. Called by one thread.
template <class Before>
__device__ __forceinline__ std::int64_t partition_point(std::int64_t begin, std::int64_t end, Before before) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (before(middle)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// The number of keys ≤ `last` among `count` ascending keys. Called by one thread. The number of keys alone decides how
/// many steps there are, so that the threads of a warp, whose ranges are about as long, stay together. It halves the
/// range down to 8 keys and loads those at once, since each halving waits for a load. Keys 2 3 3 7, last = 3: 3.
__device__ __forceinline__ std::uint32_t count_up_to(const std::uint64_t* d_keys, std::uint32_t count,
                                                     std::uint64_t last) {
  constexpr int few = 8;
  std::uint32_t found = 0;  // keys known to be ≤ `last`
  while (count > few) {
    const std::uint32_t half = (count + 1) / 2;
    if (d_keys[found + half - 1] <= last) found += half;
    count -= half;
  }
  // All loads from one base address: with d_keys[found + j], each load would compute its own
  const std::uint64_t* const d_last_few = d_keys + found;
#pragma unroll
  for (int j = 0; j < few; ++j)
    if (j < count) found += d_last_few[j] <= last;
  return found;
}

}  // namespace kann::cuda::thread
