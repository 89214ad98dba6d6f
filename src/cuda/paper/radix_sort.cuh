// Least-significant-digit radix sort, one bit a pass, of the candidates in each segment of a warp: Park 2017 (shifted
// sort), Step 10, after the split of Harris, GPU Gems 3, chapter 39. Shuffles move the candidates; no shared memory.
#pragma once

#include <cstdint>

#include "cuda/paper/segmented_scan.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::paper {

/// A NeighborKey in two halves, as a shuffle moves one word. Ordered by (sq_dist_bits, index). The absent candidate is
/// candidate_of(k_absent), all ones; it comes after all others.
struct Candidate {
  std::uint32_t sq_dist_bits;  ///< the bits of a float32 that is never negative
  std::uint32_t index;
};

KANN_HOST_DEVICE constexpr Candidate candidate_of(NeighborKey key) {
  return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
}
KANN_HOST_DEVICE constexpr NeighborKey key_of(Candidate c) {
  return static_cast<NeighborKey>(c.sq_dist_bits) << 32 | c.index;
}
KANN_HOST_DEVICE constexpr bool operator<(Candidate a, Candidate b) { return key_of(a) < key_of(b); }

/// The candidate of lane `source` of the caller's segment of `width` lanes.
__device__ __forceinline__ Candidate shuffle(Candidate c, int source, int width) {
  return {__shfl_sync(warp::k_all_lanes, c.sq_dist_bits, source, width),
          __shfl_sync(warp::k_all_lanes, c.index, source, width)};
}

/// The candidate of the lane whose number differs in the bits of `stride`.
__device__ __forceinline__ Candidate shuffle_xor(Candidate c, int stride) {
  return {__shfl_xor_sync(warp::k_all_lanes, c.sq_dist_bits, stride),
          __shfl_xor_sync(warp::k_all_lanes, c.index, stride)};
}

/// The lane of the `rank`-th member (from 0) in the segment of L lanes that `lane` belongs to, if it has so many:
/// the inverse of the segmented scan. The scan never falls from lane to lane, so a binary search finds the last lane
/// with at most `rank` members before it. select_member<8>(0b10110, 0, 1) = 2.
template <int L>
KANN_HOST_DEVICE constexpr int select_member(unsigned members, int lane, int rank) {
  const unsigned from_head = members & lanes_from_head(k_equal_heads<L>, lane);
  int found = lane & -L;
  for (int step = L / 2; step > 0; step /= 2)
    if (::cuda::std::popcount(from_head & lanes_below(found + step)) <= rank) found += step;
  return found;
}

/// The lane whose value a stable split brings to `lane`. In each segment of L lanes, the values of lanes whose bit of
/// `ones` is 0 come first, then the others. The split is expressed by its sources because a shuffle gathers: the lane
/// that the scan would scatter to position r is the one that select_member() finds for r. split_source<4>(0b0101, 0…3)
/// = 1 3 0 2.
template <int L>
KANN_HOST_DEVICE constexpr int split_source(unsigned ones, int lane) {
  const int head = lane & -L;
  const unsigned segment = (~0u >> (warp::k_lanes - L)) << head;
  const int zeros = L - ::cuda::std::popcount(ones & segment);
  const int position = lane - head;
  return position < zeros ? select_member<L>(~ones, lane, position) : select_member<L>(ones, lane, position - zeros);
}

/// The stable split of one bit: moves the candidates of each segment of L lanes so that those with `one` false come
/// first. Called by all 32 lanes.
template <int L>
__device__ __forceinline__ Candidate radix_split(Candidate candidate, bool one) {
  const unsigned ones = __ballot_sync(warp::k_all_lanes, one);
  // The upper bits of indices, and most of the exponents, are the same throughout a warp: nothing moves.
  if (ones == 0 || ones == warp::k_all_lanes) return candidate;
  return shuffle(candidate, split_source<L>(ones, warp::lane_id()), warp::k_lanes);
}

/// Sorts the candidates of each segment of L lanes, L = 2, 4, 8, 16 or 32; lane i of a segment gets the i-th smallest.
/// Called by all 32 lanes, with one candidate each. Every index but the absent one must be below 2^index_bits.
///
/// The sort uses 31 bits of the distance. Bit 31, the sign, is 0 in every distance, and an absent candidate comes last
/// without it: its lower 31 bits are all ones, more than 0x7f800000, those of infinity, the largest distance.
template <int L>
__device__ __forceinline__ Candidate radix_sort(Candidate candidate, int index_bits) {
  static_assert(L >= 2 && L <= warp::k_lanes && (L & (L - 1)) == 0);
  for (int bit = 0; bit < index_bits; ++bit) candidate = radix_split<L>(candidate, candidate.index >> bit & 1);
  for (int bit = 0; bit < 31; ++bit) candidate = radix_split<L>(candidate, candidate.sq_dist_bits >> bit & 1);
  return candidate;
}

}  // namespace kann::cuda::paper
