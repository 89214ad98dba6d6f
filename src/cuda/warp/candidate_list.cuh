// The nearest candidates of one query, in the shared memory of a warp.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/warp/key_order.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/write_row.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::warp {

/// The nearest of the candidates so far, in the shared memory of a warp: ascending keys, and candidates behind them.
/// All 32 lanes of a warp call every function, and agree in all members.
template <int K>
class CandidateList {
 public:
  static constexpr int k_capacity = K <= 64 ? 4 * K : 2 * K;
  using Memory = NeighborKey[k_capacity];

  __device__ __forceinline__ CandidateList(Memory& s_keys, int size) : s_keys_(s_keys), size_(size) {}

  /// Whether `count` more candidates per lane may not fit.
  __device__ __forceinline__ bool needs_flush(int count = 1) const { return count_ > k_capacity - count * k_lanes; }
  __device__ __forceinline__ bool is_full() const { return kept_ == size_; }
  __device__ __forceinline__ int size() const { return size_; }
  /// The number of keys in the list and of candidates.
  __device__ __forceinline__ int count() const { return count_; }
  /// The last key. The list must be full.
  __device__ __forceinline__ NeighborKey last() const { return s_keys_[size_ - 1]; }
  /// The squared distance at a place of the list; NaN if the list is not as long.
  __device__ __forceinline__ float sq_dist_at(int place) const {
    return sq_dist_of(place < kept_ ? s_keys_[place] : k_absent);
  }
  /// The maximum squared distance of a point that can enter the list.
  __device__ __forceinline__ float bound() const { return is_full() ? sq_dist_of(last()) : INFINITY; }

  /// Appends the keys of the lanes for which `is_candidate`; both may differ between lanes.
  __device__ __forceinline__ void append(NeighborKey key, bool is_candidate) {
    const unsigned candidates = __ballot_sync(k_all_lanes, is_candidate);
    if (candidates == 0) return;
    if (is_candidate) s_keys_[count_ + __popc(candidates & ((1u << lane_id()) - 1))] = key;
    count_ += __popc(candidates);
  }

  /// Keeps the nearest keys, each only once.
  __device__ __forceinline__ void flush() {
    if (count_ == kept_) return;
    NeighborKey keys[k_rows];
    __syncwarp();  // the candidates are written
    load_sorted(keys, s_keys_, count_);
    int kept = 0;
    NeighborKey before = k_absent;  // the last of the 32 keys before
    __syncwarp();                   // the keys have been read
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      if (r * k_lanes >= count_) break;
      const NeighborKey left = __shfl_up_sync(k_all_lanes, keys[r], 1);
      const bool is_new = keys[r] != k_absent && keys[r] != (lane_id() == 0 ? before : left);
      const unsigned fresh = __ballot_sync(k_all_lanes, is_new);
      const int place = kept + __popc(fresh & ((1u << lane_id()) - 1));
      if (is_new && place < size_) s_keys_[place] = keys[r];
      kept += __popc(fresh);
      before = __shfl_sync(k_all_lanes, keys[r], k_lanes - 1);
    }
    kept_ = count_ = min(kept, size_);
    __syncwarp();  // the list is in order
  }

  __device__ __forceinline__ void load(const NeighborKey* d_keys) {
    for (int i = lane_id(); i < size_; i += k_lanes) s_keys_[i] = d_keys[i];
    __syncwarp();  // the list is written
    for (kept_ = 0; kept_ < size_ && s_keys_[kept_] != k_absent; ++kept_) continue;
    count_ = kept_;
    __syncwarp();  // candidates may be appended where the lanes have read
  }
  __device__ __forceinline__ void store(NeighborKey* d_keys) const {
    for (int i = lane_id(); i < size_; i += k_lanes) d_keys[i] = i < kept_ ? s_keys_[i] : k_absent;
  }

  /// Writes the row, in the order of (distance, index).
  __device__ __forceinline__ void write(const ResultRows& rows, std::int64_t row) const {
    const auto key_at = [this, &rows](int entry) {
      if (entry >= kept_) return k_absent;
      return neighbor_key(neighbor_distance(s_keys_[entry], rows.unit), static_cast<std::uint32_t>(s_keys_[entry]));
    };
    if (!write_if_ordered(rows, row, kept_, key_at)) write_sorted<K / k_lanes>(rows, row, kept_, key_at);
  }

 private:
  static constexpr int k_rows = k_capacity / k_lanes;

  Memory& s_keys_;
  int size_;
  int kept_ = 0;
  int count_ = 0;
};

}  // namespace kann::cuda::warp
