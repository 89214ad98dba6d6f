// Exclusive sums over the threads of a block, two ways with one interface: Kogge–Stone in the warps, and Blelloch's
// up-sweep and down-sweep in shared memory. The first does more additions, n log n against 2n, but has one barrier
// where the second has 2 log2(n) + 3, and most of it is register shuffles; kept side by side to be compared.
#pragma once

#include <type_traits>

#include "cuda/names.hpp"
#include "cuda/paper/kogge_stone.cuh"
#include "geometry/host_device.hpp"

namespace kann::cuda {

/// Kogge–Stone inside each warp, then over the warps' totals. T is an unsigned integer; sums are modulo its size.
template <class T, int threads>
struct KoggeStoneBlockScan {
  static constexpr int warps = threads / warp::k_lanes;
  static_assert(threads % warp::k_lanes == 0 && warps >= 1 && warps <= warp::k_lanes && std::is_unsigned_v<T>);

  struct Storage {
    T warp_totals[warps];
  };

  /// The sum of `value` over the threads before the caller; `total` is that over all threads. Called by all `threads`
  /// threads of a one-dimensional block; a barrier must part two calls with the same storage.
  /// 3 1 4 1 gives 0 3 4 8, total 9.
  static __device__ __forceinline__ T exclusive_sum(Storage& s_storage, T value, T& total) {
    const int lane = warp::lane_id();
    const int warp_id = static_cast<int>(threadIdx.x) / warp::k_lanes;
    const T inclusive = warp::inclusive_sum(value);
    if (lane == warp::k_lanes - 1) s_storage.warp_totals[warp_id] = inclusive;
    __syncthreads();  // the totals are complete
    // Every warp scans the totals for itself: that is cheaper than a second barrier.
    const T warp_total = lane < warps ? s_storage.warp_totals[lane] : T{0};
    const T totals = warp::inclusive_sum(warp_total);
    total = __shfl_sync(warp::k_all_lanes, totals, warps - 1);
    const T warps_before = __shfl_sync(warp::k_all_lanes, static_cast<T>(totals - warp_total), warp_id);
    return warps_before + inclusive - value;
  }
};

/// Blelloch's work-efficient scan: a tree of sums is built in place and walked back down. `threads` is a power of two.
template <class T, int threads>
struct BlellochBlockScan {
  static_assert(threads >= 2 && (threads & (threads - 1)) == 0 && std::is_unsigned_v<T>);

  /// One gap every 32 nodes, or strides of 32 and more would meet in one bank.
  KANN_HOST_DEVICE static constexpr int node(int i) { return i + i / warp::k_lanes; }

  struct Storage {
    T nodes[threads + threads / warp::k_lanes];
  };

  /// As KoggeStoneBlockScan::exclusive_sum().
  static __device__ __forceinline__ T exclusive_sum(Storage& s_storage, T value, T& total) {
    const int thread = static_cast<int>(threadIdx.x);
    T* s_nodes = s_storage.nodes;
    s_nodes[node(thread)] = value;

    // Up-sweep: each subtree's last node becomes the subtree's sum
    for (int stride = 1; stride < threads; stride *= 2) {
      __syncthreads();  // the level below is complete
      const int right = (thread + 1) * 2 * stride - 1;
      if (right < threads) s_nodes[node(right)] += s_nodes[node(right - stride)];
    }
    __syncthreads();  // the root is complete
    total = s_nodes[node(threads - 1)];
    __syncthreads();  // all have read the root
    if (thread == 0) s_nodes[node(threads - 1)] = 0;

    // Down-sweep: each subtree is told the sum before it
    for (int stride = threads / 2; stride > 0; stride /= 2) {
      __syncthreads();  // the level above is complete
      const int right = (thread + 1) * 2 * stride - 1;
      if (right < threads) {
        const T before = s_nodes[node(right)];
        s_nodes[node(right)] = before + s_nodes[node(right - stride)];
        s_nodes[node(right - stride)] = before;
      }
    }
    __syncthreads();  // the leaves are complete
    return s_nodes[node(thread)];
  }
};

}  // namespace kann::cuda
