// Blelloch's block scan, up-sweep and down-sweep in shared memory, for comparison with cuda/paper/block_scan.cuh.
#pragma once

#include <type_traits>

#include "cuda/warp/lane.cuh"
#include "geometry/host_device.hpp"

namespace kann::bench {

/// Blelloch's work-efficient scan: the up-sweep builds a tree of sums in place, the down-sweep turns it into prefix
/// sums. `threads` is a power of two.
template <class T, int threads>
struct BlellochBlockScan {
  static_assert(threads >= 2 && (threads & (threads - 1)) == 0 && std::is_unsigned_v<T>);

  /// One unused word after every 32 nodes, since accesses at strides of 32 or more would otherwise conflict in one
  /// bank.
  KANN_HOST_DEVICE static constexpr int node(int i) { return i + i / cuda::warp::k_lanes; }

  struct Storage {
    T nodes[threads + threads / cuda::warp::k_lanes];
  };

  /// The contract of cuda::paper::BlockScan::exclusive_sum().
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

    // Down-sweep: each subtree receives the sum of all nodes before it
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

}  // namespace kann::bench
