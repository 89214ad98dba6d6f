// The k nearest of 2k candidates, merged with the k nearest so far: Park 2017 (shifted sort), Step 10, which is
// Algorithm 2 of Li et al. 2012 in the registers of one warp. A segment of 2k lanes serves one query, so that a warp
// serves 16/k of them.
#pragma once

#include "cuda/paper/radix_sort.cuh"

namespace kann::cuda::paper {

/// k = 1, 2, 4, 8 or 16. Called by all 32 lanes. Results are valid in lanes 0…k−1 of each segment of 2k lanes, sorted,
/// absent candidates last.
template <int k>
class TopK {
 public:
  static constexpr int segment = 2 * k;
  static_assert(k >= 1 && segment <= warp::k_lanes && (k & (k - 1)) == 0);

  /// Every index but the absent one must be below 2^index_bits; each bit takes a pass of the sort.
  __device__ explicit TopK(int index_bits) : index_bits_(index_bits) {}

  /// The k smallest of the segment's candidates. No index may come twice, except the absent one.
  __device__ __forceinline__ Candidate first(Candidate candidate) const {
    return radix_sort<segment>(candidate, index_bits_);
  }

  /// The k smallest of `best`, as first() or merge() gave it, and of the segment's candidates. A candidate that is in
  /// `best` counts once; among themselves they must be distinct, except the absent ones. An index stands for one
  /// distance, so that indices alone are compared. What lanes k…2k−1 hold in `best` is not used.
  /// With k = 2, best 3 5 and candidates 9 3 4 8 give 3 4.
  __device__ __forceinline__ Candidate merge(Candidate best, Candidate candidate) const {
    for (int i = 0; i < k; ++i) {
      const std::uint32_t kept_index = __shfl_sync(warp::k_all_lanes, best.index, i, segment);
      if (candidate.index == kept_index) candidate = candidate_of(k_absent);
    }
    candidate = radix_sort<segment>(candidate, index_bits_);

    // k ascending, then k descending: a bitonic sequence. Its first merge step leaves the k smallest below, the others
    // put them in order.
    const int position = warp::lane_id() % segment;
    const Candidate mirrored = shuffle(candidate, segment - 1 - position, segment);
    Candidate merged = position < k ? best : mirrored;
    for (int stride = k; stride > 0; stride /= 2) {
      const Candidate partner = shuffle_xor(merged, stride);
      const bool keeps_smaller = (position & stride) == 0;
      if ((partner < merged) == keeps_smaller) merged = partner;
    }
    return merged;
  }

 private:
  int index_bits_;
};

}  // namespace kann::cuda::paper
