// The grid of kernels with one thread per element, and the element of a thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

inline constexpr int k_block_threads = 256;

/// Blocks of `threads` threads for `n` elements, one thread per element: 1 block or more, at most the 2³¹ − 1 of a
/// grid. That is enough for the maximum number of points, 2³² − 1. Kernels that may have more elements loop with
/// element_stride(). n = 257: 2.
inline unsigned blocks_for(std::int64_t n, int threads = k_block_threads) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((n + threads - 1) / threads, 1, 0x7fffffff));
}

/// First element of the calling thread, and the step to its next: `for (i = first_element(); i < n; i += …)`.
__device__ __forceinline__ std::int64_t first_element() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::int64_t element_stride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

/// The number of blocks that the current device runs at once if each multiprocessor runs `per_multiprocessor` of them.
inline unsigned resident_blocks(int per_multiprocessor) {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return static_cast<unsigned>(multiprocessors * per_multiprocessor);
}

}  // namespace kann::cuda
