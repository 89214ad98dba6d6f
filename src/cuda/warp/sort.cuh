// A warp sorts keys: those in registers by a bitonic network (K. E. Batcher, Sorting networks and their applications,
// AFIPS 1968), and words in memory by counting.
#pragma once

#include <bit>
#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::warp {

/// The key of the lane whose number differs by the bits of `stride`.
__device__ __forceinline__ std::uint64_t exchange(std::uint64_t key, int stride) {
  return __shfl_xor_sync(k_all_lanes, key, stride);
}
__device__ __forceinline__ thread::ExactKey exchange(const thread::ExactKey& key, int stride) {
  thread::ExactKey other;
  other.index = __shfl_xor_sync(k_all_lanes, key.index, stride);
  other.low = __shfl_xor_sync(k_all_lanes, key.low, stride);
  other.high = __shfl_xor_sync(k_all_lanes, key.high, stride);
  return other;
}

/// Those steps of a merge of two runs of `run` / 2 keys each whose strides are less than 32.
template <int run, int R, class Key>
__device__ __forceinline__ void merge_within_rows(Key (&keys)[R]) {
  const int lane = lane_id();
  constexpr int first = run / 2 < k_lanes ? run / 2 : k_lanes / 2;
#pragma unroll 1
  for (int stride = first; stride > 0; stride /= 2) {
    const bool is_first = (lane & stride) == 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const bool falls = ((r * k_lanes + lane) & run) != 0;
      const Key other = exchange(keys[r], stride);
      if ((other < keys[r]) == (is_first != falls)) keys[r] = other;
    }
  }
}

/// Sorts 32·R keys ascending, R a power of two; key i is keys[i / 32] of lane i % 32. Called by all 32 lanes. Example
/// (R = 1): before, lane i holds 31 − i; after, lane i holds i.
template <int run = 2, int R, class Key>
__device__ __forceinline__ void sort(Key (&keys)[R]) {
  if constexpr (run <= R * k_lanes) {
#pragma unroll
    for (int rows = run / 2 / k_lanes; rows > 0; rows /= 2)  // keys of one lane
#pragma unroll
      for (int r = 0; r < R; ++r) {
        if (r & rows) continue;
        const bool falls = (r * k_lanes & run) != 0;
        const Key low = keys[r], high = keys[r + rows];
        const bool swaps = falls ? low < high : high < low;
        keys[r] = swaps ? high : low;
        keys[r + rows] = swaps ? low : high;
      }
    merge_within_rows<run>(keys);
    sort<2 * run>(keys);
  }
}

/// As sort(), with a tenth of the code, but with the keys in local memory. This is for rare cases.
template <int R, class Key>
__device__ __forceinline__ void sort_rarely(Key (&keys)[R]) {
#pragma unroll 1
  for (int run = 2; run <= R * k_lanes; run *= 2)
#pragma unroll 1
    for (int stride = run / 2; stride > 0; stride /= 2)
#pragma unroll 1
      for (int r = 0; r < R; ++r) {
        const int place = r * k_lanes + lane_id();
        const bool falls = (place & run) != 0;
        if (stride < k_lanes) {
          const Key other = exchange(keys[r], stride);
          if ((other < keys[r]) == (((place & stride) == 0) != falls)) keys[r] = other;
        } else if ((place & stride) == 0) {
          const Key low = keys[r], high = keys[r + stride / k_lanes];
          if (falls ? low < high : high < low) {
            keys[r] = high;
            keys[r + stride / k_lanes] = low;
          }
        }
      }
}

/// Orders each key of N rows, from row `first` on, with that of the lane whose number differs in the bits of `mask`;
/// `stride` is the highest of these bits.
template <int mask, int stride, int first, int N, int R>
__device__ __forceinline__ void order_lanes(std::uint32_t (&keys)[R]) {
  const bool is_first = (lane_id() & stride) == 0;
  std::uint32_t others[N];
#pragma unroll
  for (int i = 0; i < N; ++i) others[i] = __shfl_xor_sync(k_all_lanes, keys[first + i], mask);
#pragma unroll
  for (int i = 0; i < N; ++i)
    keys[first + i] = is_first ? min(keys[first + i], others[i]) : max(keys[first + i], others[i]);
}

/// The steps of a merge within rows, for strides from `stride` down.
template <int stride, int first, int N, int R>
__device__ __forceinline__ void merge_lanes(std::uint32_t (&keys)[R]) {
  if constexpr (stride > 0) {
    order_lanes<stride, stride, first, N>(keys);
    merge_lanes<stride / 2, first, N>(keys);
  }
}

/// Sorts each of N rows, whose runs of `run` / 2 keys are already sorted.
template <int run, int first, int N, int R>
__device__ __forceinline__ void sort_lanes(std::uint32_t (&keys)[R]) {
  if constexpr (run <= k_lanes) {
    order_lanes<run - 1, run / 2, first, N>(keys);
    merge_lanes<run / 4, first, N>(keys);
    sort_lanes<2 * run, first, N>(keys);
  }
}

/// Sorts or merges all rows, two at a time, so that two exchanges overlap.
template <bool merges, int first, int R>
__device__ __forceinline__ void order_all_lanes(std::uint32_t (&keys)[R], int rows) {
  if constexpr (first < R) {
    if (first > 0 && first >= rows) return;
    constexpr int at_once = R - first < 2 ? 1 : 2;
    if constexpr (merges)
      merge_lanes<k_lanes / 2, first, at_once>(keys);
    else
      sort_lanes<2, first, at_once>(keys);
    order_all_lanes<merges, first + at_once>(keys, rows);
  }
}

/// Those steps of a merge of sorted runs of `run` / 2 rows each that exchange keys between rows. The first step
/// reverses the later run.
template <int run, int R>
__device__ __forceinline__ void order_rows(std::uint32_t (&keys)[R], int rows) {
#pragma unroll
  for (int first = 0; first < R; first += run)
#pragma unroll
    for (int i = 0; i < run / 2; ++i) {
      std::uint32_t &low = keys[first + i], &high = keys[first + run - 1 - i];
      if (first + run - 1 - i >= rows) continue;
      const std::uint32_t reversed_low = __shfl_xor_sync(k_all_lanes, low, k_lanes - 1),
                          reversed_high = __shfl_xor_sync(k_all_lanes, high, k_lanes - 1);
      low = min(low, reversed_high);
      high = max(high, reversed_low);
    }
#pragma unroll
  for (int stride = run / 4; stride > 0; stride /= 2)
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r & stride || r + stride >= rows) continue;
      const std::uint32_t low = keys[r], high = keys[r + stride];
      keys[r] = min(low, high);
      keys[r + stride] = max(low, high);
    }
}

/// Sorts 32·R keys ascending like sort(), in a quarter of the instructions; R is a power of two of up to 16. All keys
/// after the first `rows` rows must be the greatest possible ones. Every merge begins by reversing its later half, so
/// that such keys never move.
template <int R>
__device__ __forceinline__ void sort_rows(std::uint32_t (&keys)[R], int rows) {
  static_assert(R <= 16);
  order_all_lanes<false, 0>(keys, rows);
#pragma unroll 1
  for (int run = 2; run <= R && run / 2 < rows; run *= 2) {
    if constexpr (R >= 2)
      if (run == 2) order_rows<2>(keys, rows);
    if constexpr (R >= 4)
      if (run == 4) order_rows<4>(keys, rows);
    if constexpr (R >= 8)
      if (run == 8) order_rows<8>(keys, rows);
    if constexpr (R >= 16)
      if (run == 16) order_rows<16>(keys, rows);
    order_all_lanes<true, 0>(keys, rows);
  }
}

/// The sum of `count` over the lanes up to the caller's, which is included.
__device__ __forceinline__ std::uint32_t sum_up_to(std::uint32_t count) {
#pragma unroll
  for (int stride = 1; stride < k_lanes; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(k_all_lanes, count, stride);
    if (lane_id() >= stride) count += left;
  }
  return count;
}

template <int bins>
inline constexpr int k_bin_bits = std::bit_width(static_cast<unsigned>(bins - 1));

/// Sorts `count` words, all different. They are counted into bins by their leading bits, and each word finds its rank
/// among those of its bin. With five words per bin, this takes 80 instructions per 32 words, and hardly more code than
/// a network for 32 words. The number of bins is a power of two; `binned` has room for all words. Returns false, and
/// leaves the words as they were, if a bin holds so many that it would take long. What the lanes wrote to `words`
/// before must be visible, and the result is visible.
template <int bins>
__device__ __forceinline__ bool sort_in_bins(std::uint32_t* words, int count, std::uint32_t (&s_ends)[bins],
                                             std::uint32_t* binned) {
  constexpr std::uint32_t most = 256;
  constexpr int shift = 32 - k_bin_bits<bins>;
  static_assert(bins % k_lanes == 0 && bins == 1 << k_bin_bits<bins>);
  const int lane = lane_id();
#pragma unroll 4
  for (int bin = lane; bin < bins; bin += k_lanes) s_ends[bin] = 0;
  __syncwarp();  // the counts are 0
#pragma unroll 4
  for (int i = lane; i < count; i += k_lanes) atomicAdd(&s_ends[words[i] >> shift], 1u);
  __syncwarp();  // the words are counted
  std::uint32_t sum = 0, fullest = 0;
#pragma unroll 2
  for (int bin = lane; bin < bins; bin += k_lanes) {
    const std::uint32_t own = s_ends[bin], up_to = sum_up_to(own);
    s_ends[bin] = sum + up_to - own;
    sum += __shfl_sync(k_all_lanes, up_to, k_lanes - 1);
    fullest = max(fullest, own);
  }
  __syncwarp();  // the counts have become begins
  if (__any_sync(k_all_lanes, fullest > most)) return false;
#pragma unroll 4
  for (int i = lane; i < count; i += k_lanes) {
    const std::uint32_t word = words[i];
    binned[atomicAdd(&s_ends[word >> shift], 1u)] = word;
  }
  __syncwarp();  // the words are in their bins, whose begins have become ends
#pragma unroll 1
  for (int i = lane; i < count; i += k_lanes) {
    const std::uint32_t word = binned[i], bin = word >> shift;
    const int end = static_cast<int>(s_ends[bin]);
    int rank = bin == 0 ? 0 : static_cast<int>(s_ends[bin - 1]);
#pragma unroll 4
    for (int j = rank; j < end; ++j) rank += binned[j] < word;
    words[rank] = word;
  }
  __syncwarp();  // the words are in order
  return true;
}

}  // namespace kann::cuda::warp
