// How one-thread-an-element kernels are launched, and find their elements.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuda/runtime/check.hpp"

namespace kann::cuda {

inline constexpr int k_block_threads = 256;

/// Blocks for `n` elements, one thread each while the grid allows: for all points that there can be, 2³² − 1. Kernels
/// that may have more elements stride over the rest.
inline unsigned blocks_for(std::int64_t n, int threads = k_block_threads) {
  return static_cast<unsigned>(std::clamp<std::int64_t>((n + threads - 1) / threads, 1, 0x7fffffff));
}

/// First element of the calling thread, and the step to its next: `for (i = first_element(); i < n; i += …)`.
__device__ __forceinline__ std::int64_t first_element() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::int64_t element_stride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

}  // namespace kann::cuda
