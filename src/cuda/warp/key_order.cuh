// The keys of a warp in order: by 23 bits of their distances, which takes a quarter of the instructions of a sort of
// whole keys, and by whole keys where these bits do not suffice.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/sort.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::warp {

/// Entry i is key i of `keys`: its row i / 32 and lane i % 32. Entries from `count` on are absent keys.
/// Loads key entry_at(row, i) of `from` for each entry i, and returns whether they ascend. Called by all 32 lanes.
template <int R, class EntryAt>
__device__ __forceinline__ bool load_keys(NeighborKey (&keys)[R], const NeighborKey* from, int count,
                                          EntryAt entry_at) {
  bool ascends = true;
  NeighborKey before = 0;  // of the last of the 32 places before
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

/// Sorts `count` ≤ 32·R keys in memory by whole keys. A function of its own, since it is called where distances are
/// equal.
template <int R>
__device__ __noinline__ void sort_whole_keys(NeighborKey* keys_in_memory, int count) {
  NeighborKey keys[R];
  load_keys(keys, keys_in_memory, count, [](int, int i) { return i; });
  __syncwarp();  // they have been read
  sort(keys);
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const int i = r * k_lanes + lane_id();
    if (i < count) keys_in_memory[i] = keys[r];
  }
  __syncwarp();  // they are in order
}

/// Loads `count` ≤ 32·R keys from memory, none of them absent, in ascending order; they may be in another order in
/// memory after that. Called by all 32 lanes; what they wrote there before is visible.
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
      words[r] = __float_as_uint(1.0f + share) << entry_bits | i;  // without the exponent
    }
    sort_rows(words, (count + k_lanes - 1) / k_lanes);
    const auto entry_at = [&](int r, int) { return static_cast<int>(words[r] & ((1u << entry_bits) - 1)); };
    if (load_keys(keys, keys_in_memory, count, entry_at)) return;
  }
  sort_whole_keys<R>(keys_in_memory, count);
  load_keys(keys, keys_in_memory, count, [](int, int i) { return i; });
}

/// Sorts a range in memory of any length by a bitonic network, without more memory: for what seldom happens, since
/// every step reads and writes it all.
template <class T, class Less>
__device__ __noinline__ void sort_in_memory(T* range, std::int64_t count, Less less) {
  const auto order = [&](std::int64_t low, std::int64_t high) {
    if (high >= count) return;
    const T a = range[low], b = range[high];
    if (!less(b, a)) return;
    range[low] = b;
    range[high] = a;
  };
  // Every merge begins by reversing its later half, so that what is past the end never moves
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
