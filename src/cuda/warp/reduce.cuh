// Sum, minimum, maximum and union of bits of one number per lane, none of them NaN. Called by all 32 lanes; valid in
// all. Example: for lanes 3 1 4 1 … 1, the minimum is 1 and the maximum 4.
#pragma once

#include "cuda/warp/lane.cuh"

namespace kann::cuda::warp {

/// Reduces by exchanges between lanes, in five steps.
template <class T, class Choose>
__device__ __forceinline__ T reduce(T x, Choose choose) {
  for (int stride = k_lanes / 2; stride > 0; stride /= 2) x = choose(x, __shfl_xor_sync(k_all_lanes, x, stride));
  return x;
}

__device__ __forceinline__ double reduce_min(double x) {
  return reduce(x, [](double a, double b) { return fmin(a, b); });
}
__device__ __forceinline__ double reduce_max(double x) {
  return reduce(x, [](double a, double b) { return fmax(a, b); });
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/// A float as an integer of the same order, and back: these devices reduce integers in one instruction.
__device__ __forceinline__ int ordered(float x) {
  const int bits = __float_as_int(x);
  return bits ^ (bits >> 31 & 0x7fffffff);
}
__device__ __forceinline__ float unordered(int bits) { return __int_as_float(bits ^ (bits >> 31 & 0x7fffffff)); }

__device__ __forceinline__ int reduce_add(int x) { return __reduce_add_sync(k_all_lanes, x); }
__device__ __forceinline__ int reduce_min(int x) { return __reduce_min_sync(k_all_lanes, x); }
__device__ __forceinline__ int reduce_max(int x) { return __reduce_max_sync(k_all_lanes, x); }
__device__ __forceinline__ unsigned reduce_max(unsigned x) { return __reduce_max_sync(k_all_lanes, x); }
__device__ __forceinline__ unsigned reduce_or(unsigned x) { return __reduce_or_sync(k_all_lanes, x); }
__device__ __forceinline__ float reduce_min(float x) { return unordered(__reduce_min_sync(k_all_lanes, ordered(x))); }
__device__ __forceinline__ float reduce_max(float x) { return unordered(__reduce_max_sync(k_all_lanes, ordered(x))); }

#else  // Turing has no such instruction

__device__ __forceinline__ int reduce_add(int x) {
  return reduce(x, [](int a, int b) { return a + b; });
}
__device__ __forceinline__ int reduce_min(int x) {
  return reduce(x, [](int a, int b) { return min(a, b); });
}
__device__ __forceinline__ int reduce_max(int x) {
  return reduce(x, [](int a, int b) { return max(a, b); });
}
__device__ __forceinline__ unsigned reduce_max(unsigned x) {
  return reduce(x, [](unsigned a, unsigned b) { return max(a, b); });
}
__device__ __forceinline__ unsigned reduce_or(unsigned x) {
  return reduce(x, [](unsigned a, unsigned b) { return a | b; });
}
__device__ __forceinline__ float reduce_min(float x) {
  return reduce(x, [](float a, float b) { return fminf(a, b); });
}
__device__ __forceinline__ float reduce_max(float x) {
  return reduce(x, [](float a, float b) { return fmaxf(a, b); });
}

#endif

}  // namespace kann::cuda::warp
