// A binary search by one thread.
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

}  // namespace kann::cuda::thread
