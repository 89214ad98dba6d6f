// A search that 32 lanes do together: each looks at one place of 32, so that five looks find one place of 2²⁵.
#pragma once

#include <cstdint>

#include "cuda/warp/lane.cuh"

namespace kann::cuda::warp {

/// The first place in [begin, end) that is not `before(place)`, or `end`; what is not before stays so. Called by all 32
/// lanes with the same range and predicate; valid in all.
/// begin = 0, end = 100, before = place < 77: looks at 3, 7, 11 … 99, then at 76 … 79; 77.
template <class Before>
__device__ __forceinline__ std::int64_t partition_point(std::int64_t begin, std::int64_t end, Before before) {
  while (begin < end) {
    const std::int64_t stride = (end - begin + k_lanes - 1) / k_lanes;
    const std::int64_t place = begin + (lane_id() + 1) * stride - 1;  // the last of this lane's share
    const unsigned shares = __ballot_sync(k_all_lanes, place < end && before(place));
    begin += __popc(shares) * stride;
    if (stride == 1) break;
    if (begin + stride - 1 < end) end = begin + stride - 1;  // the last of that share is not before
  }
  return begin;
}

}  // namespace kann::cuda::warp
