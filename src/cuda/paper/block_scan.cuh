// Exclusive sums over the threads of a block, by Kogge–Stone in the warps. This does more additions than Blelloch's
// tree, n log n against 2n, but has one barrier where the tree has 2 log2(n) + 3, and consists mostly of register
// shuffles.
#pragma once

#include <type_traits>

#include "cuda/paper/kogge_stone.cuh"

namespace kann::cuda::paper {

/// Kogge–Stone inside each warp, then over the warps' totals. T is an unsigned integer; sums are modulo its size.
template <class T, int threads>
struct BlockScan {
  static constexpr int warps = threads / warp::k_lanes;
  static_assert(threads % warp::k_lanes == 0 && warps >= 1 && warps <= warp::k_lanes && std::is_unsigned_v<T>);

  struct Storage {
    T warp_totals[warps];
  };

  /// The sum of `value` over the threads before the caller; `total` is the sum over all threads. Called by all
  /// `threads` threads of a one-dimensional block; two calls with the same storage need a barrier between them. 3 1 4 1
  /// gives 0 3 4 8 and total 9.
  static __device__ __forceinline__ T exclusive_sum(Storage& s_storage, T value, T& total) {
    const int lane = warp::lane_id();
    const int warp_id = static_cast<int>(threadIdx.x) / warp::k_lanes;
    const T inclusive = inclusive_sum(value);
    if (lane == warp::k_lanes - 1) s_storage.warp_totals[warp_id] = inclusive;
    __syncthreads();  // the totals are complete
    // Every warp scans the totals for itself: that is cheaper than a second barrier.
    const T warp_total = lane < warps ? s_storage.warp_totals[lane] : T{0};
    const T totals = inclusive_sum(warp_total);
    total = __shfl_sync(warp::k_all_lanes, totals, warps - 1);
    const T warps_before = __shfl_sync(warp::k_all_lanes, static_cast<T>(totals - warp_total), warp_id);
    return warps_before + inclusive - value;
  }
};

}  // namespace kann::cuda::paper
