// Exclusive scan of one bit per lane, in each of the segments that a warp is divided into: Park 2017, "Correct
// implementation of sub-warp parallel prefix operations", Table 3. The masks are pure functions of the result of one
// ballot, so that they can be tested without a GPU.
//
// Two shifts of the published code are undefined in C++ and are avoided here: 1 << (lane + 1) in lane 31, and ~0 >> 32
// for a segment that begins at lane 0.
#pragma once

#include <cuda/std/bit>

#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/host_device.hpp"

namespace kann::cuda::paper {

/// The lanes before `lane`. lanes_below(3) = 0b111; lanes_below(0) = 0.
KANN_HOST_DEVICE constexpr unsigned lanes_below(int lane) { return (1u << lane) - 1; }

/// The lanes up to and with `lane`. For lane 31 the set bit leaves the word, and 0 − 1 is the full warp.
KANN_HOST_DEVICE constexpr unsigned lanes_through(int lane) { return (2u << lane) - 1; }

/// The lanes from the head of `lane`'s segment on. Bit i of `heads`: lane i begins a segment; lane 0 always does.
/// lanes_from_head(0b01001001, 5) = ~0b111.
KANN_HOST_DEVICE constexpr unsigned lanes_from_head(unsigned heads, int lane) {
  // The head's own lane must be included; leaving it out is the error of Harris and Garland's code.
  const unsigned heads_so_far = (heads | 1u) & lanes_through(lane);
  return ~0u << (warp::k_lanes - 1 - ::cuda::std::countl_zero(heads_so_far));
}

/// How many lanes of `ballot` lie before `lane` in its segment.
KANN_HOST_DEVICE constexpr unsigned segmented_count(unsigned ballot, unsigned heads, int lane) {
  return static_cast<unsigned>(::cuda::std::popcount(ballot & lanes_below(lane) & lanes_from_head(heads, lane)));
}

/// Exclusive segmented sum of the predicate. Called by all 32 lanes with the same `heads`; each gets its own sum.
/// Lanes 7…0, p = 10011101, heads = 01001001: 0 0 2 1 0 1 1 0.
__device__ __forceinline__ unsigned segmented_scan(bool p, unsigned heads) {
  return segmented_count(__ballot_sync(warp::k_all_lanes, p), heads, warp::lane_id());
}

/// The heads of segments of L lanes each; L a power of two. k_equal_heads<8> = 0x01010101.
template <int L>
inline constexpr unsigned k_equal_heads = static_cast<unsigned>(0xffffffffull / ((1ull << L) - 1));

}  // namespace kann::cuda::paper
