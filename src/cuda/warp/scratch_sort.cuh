// One warp sorts any number of keys in global memory: it distributes them to bins by distance, and sorts consecutive
// bins, up to 512 keys together, in registers.
#pragma once

#include <cstdint>

#include "cuda/runtime/names.hpp"
#include "cuda/warp/key_order.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/sort.cuh"
#include "geometry/distance.hpp"

namespace kann::cuda::warp {

/// What ScratchSort keeps in the shared memory of a warp.
struct ScratchSortMemory {
  static constexpr int k_max_bins = 1024;
  std::uint32_t ends[k_max_bins];  // where each bin ends among the sorted keys
};

/// Sorts keys by (distance, index). Called by all 32 lanes of a warp, which agree in all arguments.
class ScratchSort {
 public:
  /// `distances_are_squared`: whether the keys hold squared distances. Bins are by squared distance in either case.
  __device__ __forceinline__ ScratchSort(ScratchSortMemory& s_memory, bool distances_are_squared)
      : s_(s_memory), are_squared_(distances_are_squared) {}

  /// Copies those of `count` keys that are not absent to `d_sorted`, and returns their number; the first `wanted` of
  /// them are in order. What the lanes wrote to `d_keys` before must be visible.
  __device__ __forceinline__ int sort(const NeighborKey* d_keys, int count, int wanted, NeighborKey* d_sorted) {
    const int present = distribute(d_keys, count, d_sorted);
    int bin = 0, begin = 0;
    while (begin < min(present, wanted)) {
      int end = begin, next = bin;
      while (next < bins_) {
        const int candidate = next + lane_id();
        const int its_end = candidate < bins_ ? static_cast<int>(s_.ends[candidate]) : present;
        const unsigned too_far = __ballot_sync(k_all_lanes, candidate >= bins_ || its_end - begin > k_in_registers);
        const int fitting = too_far ? __ffs(static_cast<int>(too_far)) - 1 : k_lanes;
        if (fitting > 0) end = __shfl_sync(k_all_lanes, its_end, fitting - 1);
        next += fitting;
        if (fitting < k_lanes) break;
      }
      if (next > bin) {
        sort_together(d_sorted + begin, end - begin);
        bin = next;
      } else {
        end = static_cast<int>(s_.ends[bin++]);
        sort_in_memory(d_sorted + begin, end - begin, [](NeighborKey a, NeighborKey b) { return a < b; });
      }
      begin = end;
    }
    return present;
  }

 private:
  static constexpr int k_rows = 16, k_in_registers = k_rows * k_lanes;
  static constexpr int k_keys_per_bin = 16;

  __device__ __forceinline__ int bin_of(NeighborKey key) const {
    const float distance = sq_dist_of(key);
    return min(static_cast<int>((are_squared_ ? distance : distance * distance) * bins_per_sq_dist_), bins_ - 1);
  }

  __device__ __forceinline__ int distribute(const NeighborKey* d_keys, int count, NeighborKey* d_sorted) {
    const int lane = lane_id();
    float farthest = 0;
    for (int i = lane; i < count; i += k_lanes)
      if (d_keys[i] != k_absent) farthest = fmaxf(farthest, sq_dist_of(d_keys[i]));
    farthest = reduce_max(farthest);
    if (!are_squared_) farthest *= farthest;
    bins_ = 1;
    bins_per_sq_dist_ = 0;
    if (farthest > 0x1p-100f && farthest < 0x1p100f) {
      while (bins_ < ScratchSortMemory::k_max_bins && bins_ * k_keys_per_bin < count) bins_ *= 2;
      bins_per_sq_dist_ = static_cast<float>(bins_) / farthest;
    }
    for (int i = lane; i < bins_; i += k_lanes) s_.ends[i] = 0;
    __syncwarp();  // the counts are 0
    const auto is_binned = bins_per_sq_dist_ > 0;
    for (int i = lane; i < count; i += k_lanes)
      if (d_keys[i] != k_absent) atomicAdd(&s_.ends[is_binned ? bin_of(d_keys[i]) : 0], 1u);
    __syncwarp();  // the keys are counted
    const int present = counts_to_begins();
    for (int i = lane; i < count; i += k_lanes)
      if (d_keys[i] != k_absent) d_sorted[atomicAdd(&s_.ends[is_binned ? bin_of(d_keys[i]) : 0], 1u)] = d_keys[i];
    __syncwarp();  // the keys are in their bins, whose begins have become ends
    return present;
  }

  /// Replaces the counts of the bins by their begins. Returns the sum of all counts.
  __device__ __forceinline__ int counts_to_begins() {
    const int lane = lane_id();
    std::uint32_t sum = 0;
    for (int first = 0; first < bins_; first += k_lanes) {
      const std::uint32_t count = first + lane < bins_ ? s_.ends[first + lane] : 0;
      const std::uint32_t up_to = sum_up_to(count);
      if (first + lane < bins_) s_.ends[first + lane] = sum + up_to - count;
      sum += __shfl_sync(k_all_lanes, up_to, k_lanes - 1);
    }
    __syncwarp();  // the begins are written
    return static_cast<int>(sum);
  }

  __device__ __forceinline__ void sort_together(NeighborKey* d_keys, int count) const {
    NeighborKey keys[k_rows];
    load_sorted(keys, d_keys, count);
    __syncwarp();  // the keys have been read
#pragma unroll
    for (int r = 0; r < k_rows; ++r) {
      const int i = r * k_lanes + lane_id();
      if (r * k_lanes < count && i < count) d_keys[i] = keys[r];
    }
    __syncwarp();  // the keys are in order
  }

  ScratchSortMemory& s_;
  bool are_squared_;
  int bins_ = 1;
  float bins_per_sq_dist_ = 0;
};

}  // namespace kann::cuda::warp
