// Sorts the keys of a warp by 23 bits of their distances, which takes a quarter of the instructions of a sort of whole
// keys, and by whole keys where these bits do not suffice.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/sort.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::warp {

/// Loads key entry_at(i / 32, i) of `from` as entry i of `keys`, for each i < count, and returns whether the keys
/// ascend. Entry i is in row i / 32 of lane i % 32; entries from `count` on become absent keys. Called by all 32 lanes.
template <int R, class EntryAt>
__device__ __forceinline__ bool load_keys(NeighborKey (&keys)[R], const NeighborKey* from, int count,
                                          EntryAt entry_at) {
  bool ascends = true;
  NeighborKey before = 0;  // the last of the 32 keys before
#pragma unroll
  for (int r = 0; r < R; ++r) {
    keys[r] = k_absent;
    if (r * k_lanes >= count) continue;
    const int i = r * k_lanes + lane_id();
    if (i < count) keys[r] = from[entry_at(r, i)];
    const NeighborKey left = __shfl_up_sync(k_all_lanes, keys[r], 1);
    ascends &= (lane_id() == 0 ? before : left) <= keys[r];
    before = __shfl_sync(k_all_lanes, keys[r], k_lanes - 1);
  }
  return __all_sync(k_all_lanes, ascends);
}

/// Sorts `count` ≤ 32·R keys in memory by whole keys. It is not inlined, since it is only called if distances are equal
/// or nearly.
template <int R>
__device__ __noinline__ void sort_whole_keys(NeighborKey* keys_in_memory, int count) {
  NeighborKey keys[R];
  load_keys(keys, keys_in_memory, count, [](int, int i) { return i; });
  __syncwarp();  // the keys have been read
  sort(keys);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const int i = r * k_lanes + lane_id();
    if (i < count) keys_in_memory[i] = keys[r];
  }
  __syncwarp();  // the keys are in order
}

/// Loads `count` ≤ 32·R keys from memory, none of them absent, in ascending order. Their order in memory may change.
/// Called by all 32 lanes; what they wrote there before must be visible.
template <int R>
__device__ __forceinline__ void load_sorted(NeighborKey (&keys)[R], NeighborKey* keys_in_memory, int count) {
  constexpr int entry_bits = 9;
  static_assert(R * k_lanes <= 1 << entry_bits);
  std::uint32_t words[R];
  float nearest = INFINITY, farthest = 0;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const int i = r * k_lanes + lane_id();
    words[r] = ~std::uint32_t{0};
    if (r * k_lanes >= count || i >= count) continue;
    const float distance = sq_dist_of(keys_in_memory[i]);
    words[r] = __float_as_uint(distance);
    nearest = fminf(nearest, distance);
    farthest = fmaxf(farthest, distance);
  }
  nearest = reduce_min(nearest);
  const float range = reduce_max(farthest) - nearest;
  if (range > 0x1p-100f && range < 0x1p100f) {
    const float inverse = (1 - 0x1p-20f) / range;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int i = r * k_lanes + lane_id();
      if (r * k_lanes >= count || i >= count) continue;
      const float share = fminf((__uint_as_float(words[r]) - nearest) * inverse, 1 - 0x1p-22f);
      words[r] = __float_as_uint(1.0f + share) << entry_bits | i;  // the bits of the mantissa
    }
    sort_rows(words, (count + k_lanes - 1) / k_lanes);
    const auto entry_at = [&](int r, int) { return static_cast<int>(words[r] & ((1u << entry_bits) - 1)); };
    if (load_keys(keys, keys_in_memory, count, entry_at)) return;
  }
  sort_whole_keys<R>(keys_in_memory, count);
  load_keys(keys, keys_in_memory, count, [](int, int i) { return i; });
}

/// Sorts a range of any length in memory by a bitonic network, without additional memory. This is for rare cases, since
/// every step reads and writes the whole range.
template <class T, class Less>
__device__ __noinline__ void sort_in_memory(T* range, std::int64_t count, Less less) {
  const auto order = [&](std::int64_t low, std::int64_t high) {
    if (high >= count) return;
    const T a = range[low], b = range[high];
    if (!less(b, a)) return;
    range[low] = b;
    range[high] = a;
  };
  // Every merge begins by reversing its later half, so that nothing past the end ever moves
  for (std::int64_t run = 2; run / 2 < count; run *= 2)
    for (std::int64_t stride = run / 2; stride > 0; stride /= 2) {
      for (std::int64_t i = lane_id(); i < (count + 1) / 2 + run / 2; i += k_lanes) {
        const std::int64_t low = i / stride * 2 * stride + i % stride;
        order(low, stride == run / 2 ? (low | (run - 1)) - low % run : low + stride);
      }
      __syncwarp();  // the step is done
    }
}

}  // namespace kann::cuda::warp
