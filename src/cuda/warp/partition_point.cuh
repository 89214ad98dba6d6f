// Like a binary search, but by 32 lanes: a step tests 32 places at once, so that five steps find a place among 2²⁵.
#pragma once

#include <cstdint>

#include "cuda/warp/lane.cuh"

namespace kann::cuda::warp {

/// The first place in [begin, end) for which before(place) is false, or `end`; from that place on, it must be false for
/// all. Called by all 32 lanes with the same range and predicate; valid in all.
/// Example: with begin = 0, end = 100 and before = place < 77, it tests 3, 7, 11 … 99, then 76, 77 and 78; returns 77.
template <class Before>
__device__ __forceinline__ std::int64_t partition_point(std::int64_t begin, std::int64_t end, Before before) {
  while (begin < end) {
    const std::int64_t stride = (end - begin + k_lanes - 1) / k_lanes;
    const std::int64_t place = begin + (lane_id() + 1) * stride - 1;  // the last place of this lane's share
    const unsigned shares = __ballot_sync(k_all_lanes, place < end && before(place));
    begin += __popc(shares) * stride;
    if (stride == 1) break;
    if (begin + stride - 1 < end) end = begin + stride - 1;  // before() is false there
  }
  return begin;
}

}  // namespace kann::cuda::warp
