// The nearest candidates of one query, of any number, in the global memory of a warp.
#pragma once

#include <cstdint>

#include "kann/neighbors.hpp"

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/scratch_sort.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda {

/// Memory for the lists of all warps of a grid, `capacity` keys each: a list and all candidates of one window.
struct CandidateScratch {
  NeighborKey* d_keys;
  NeighborKey* d_sorted;
  std::int64_t capacity;
};

/// As CandidateList.
class ScratchCandidates {
 public:
  using Memory = warp::ScratchSortMemory;

  /// The part of `scratch` that warp number `warp` has.
  __device__ __forceinline__ ScratchCandidates(Memory& s_memory, const CandidateScratch& scratch, std::int64_t warp,
                                               int size)
      : s_(s_memory),
        d_keys_(scratch.d_keys + warp * scratch.capacity),
        d_sorted_(scratch.d_sorted + warp * scratch.capacity),
        capacity_(static_cast<int>(scratch.capacity)),
        size_(size) {}

  __device__ __forceinline__ bool needs_flush() const { return count_ > capacity_ - warp::k_lanes; }
  __device__ __forceinline__ float sq_dist_at(int place) const {
    return sq_dist_of(place < kept_ ? d_keys_[place] : k_absent);
  }
  __device__ __forceinline__ float bound() const { return kept_ == size_ ? sq_dist_of(d_keys_[size_ - 1]) : INFINITY; }

  __device__ __forceinline__ void append(NeighborKey key, bool is_candidate) {
    const unsigned candidates = __ballot_sync(warp::k_all_lanes, is_candidate);
    if (is_candidate) d_keys_[count_ + __popc(candidates & ((1u << warp::lane_id()) - 1))] = key;
    count_ += __popc(candidates);
  }

  __device__ __forceinline__ void flush() {
    if (count_ == kept_) return;
    __syncwarp();  // the candidates are written
    // Every key is there twice at most: in the list, and among the candidates of one window
    const int present = warp::ScratchSort(s_, true).sort(d_keys_, count_, 2 * size_, d_sorted_);
    int kept = 0;
    for (int begin = 0; begin < min(present, 2 * size_) && kept < size_; begin += warp::k_lanes) {
      const int i = begin + warp::lane_id();
      const bool is_new = i < present && (i == 0 || d_sorted_[i] != d_sorted_[i - 1]);
      const unsigned fresh = __ballot_sync(warp::k_all_lanes, is_new);
      const int place = kept + __popc(fresh & ((1u << warp::lane_id()) - 1));
      if (is_new && place < size_) d_keys_[place] = d_sorted_[i];
      kept += __popc(fresh);
    }
    kept_ = count_ = min(kept, size_);
    __syncwarp();  // the list is in order
  }

  __device__ __forceinline__ void load(const NeighborKey* d_keys) {
    kept_ = 0;
    for (int begin = 0; begin < size_; begin += warp::k_lanes) {
      const int i = begin + warp::lane_id();
      const NeighborKey key = i < size_ ? d_keys[i] : k_absent;
      if (key != k_absent) d_keys_[i] = key;
      kept_ += __popc(__ballot_sync(warp::k_all_lanes, key != k_absent));
    }
    count_ = kept_;
    __syncwarp();  // the list is written
  }
  __device__ __forceinline__ void store(NeighborKey* d_keys) const {
    for (int i = warp::lane_id(); i < size_; i += warp::k_lanes) d_keys[i] = i < kept_ ? d_keys_[i] : k_absent;
  }

  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) {
    for (int i = warp::lane_id(); i < kept_; i += warp::k_lanes)
      d_sorted_[i] = neighbor_key(neighbor_distance(d_keys_[i], rows.unit), static_cast<std::uint32_t>(d_keys_[i]));
    __syncwarp();  // the keys of the row are written
    // Squared distances that differ have the same root
    warp::ScratchSort(s_, false).sort(d_sorted_, kept_, kept_, d_keys_);
    std::int32_t* const d_ids = rows.d_ids + row * rows.k;
    float* const d_distances = rows.d_distances + row * rows.k;
    for (std::int64_t i = warp::lane_id(); i < rows.k; i += warp::k_lanes) {
      d_ids[i] = i < kept_ ? neighbor_id(d_keys_[i]) : k_missing_id;
      d_distances[i] = i < kept_ ? sq_dist_of(d_keys_[i]) : INFINITY;
    }
  }

 private:
  Memory& s_;
  NeighborKey* const d_keys_;  // the list, ascending, and candidates behind it
  NeighborKey* const d_sorted_;
  int capacity_, size_;
  int kept_ = 0;
  int count_ = 0;
};

}  // namespace kann::cuda
