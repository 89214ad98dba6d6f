// The warp as a set of 32 lanes. Everything in this folder runs in all 32 lanes of a warp at once, in one-dimensional
// blocks of whole warps.
#pragma once

namespace kann::cuda::warp {

inline constexpr int k_lanes = 32;
inline constexpr unsigned k_all_lanes = 0xffffffffu;  ///< the mask of all lanes

/// 0…31.
__device__ __forceinline__ int lane_id() { return static_cast<int>(threadIdx.x % k_lanes); }

}  // namespace kann::cuda::warp
