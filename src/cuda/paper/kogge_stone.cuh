// The Kogge–Stone scan of one value per lane: log2(32) steps, in which a lane adds the sum that is 1, 2, 4, 8 and 16
// lanes to the left.
#pragma once

#include "cuda/warp/lane.cuh"

namespace kann::cuda::paper {

/// Inclusive sum over the lanes. Called by all 32 lanes; each gets its own. 3 1 4 1 … gives 3 4 8 9 ….
template <class T>
__device__ __forceinline__ T inclusive_sum(T value) {
  const int lane = warp::lane_id();
#pragma unroll
  for (int reach = 1; reach < warp::k_lanes; reach *= 2) {
    const T left = __shfl_up_sync(warp::k_all_lanes, value, reach);
    if (lane >= reach) value += left;
  }
  return value;
}

}  // namespace kann::cuda::paper
