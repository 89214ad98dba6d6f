// A candidate as two words, which is the size that a shuffle moves. It is a NeighborKey in two halves, with the same
// order.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::paper {

/// Ordered by (sq_dist_bits, index). The absent candidate is candidate_of(k_absent), all ones; it comes after all
/// others.
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

}  // namespace kann::cuda::paper
