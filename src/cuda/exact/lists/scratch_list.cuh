// A list of any length of the nearest points of one query: their places, in global memory that a warp has for itself.
// Candidates are appended, and sorted together.
#pragma once

#include <cmath>
#include <cstdint>

#include "kann/neighbors.hpp"

#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/result_rows.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/scratch_sort.cuh"

namespace kann::cuda::exact {

/// Memory for the lists of all warps of a grid, `capacity` entries each.
struct ListScratch {
  std::uint32_t* d_places;
  NeighborKey* d_keys;
  NeighborKey* d_sorted;
  std::int64_t capacity;
};

/// All 32 lanes of a warp call every function, with the same arguments unless it says otherwise, and agree in all
/// members.
template <class Real>
class ScratchList {
 public:
  using Key = thread::ExactKey;
  using Memory = warp::ScratchSortMemory;
  static constexpr bool k_is_exact = true;
  static constexpr double k_rounding = 0;

  /// A list of `size` neighbours, in the part of `scratch` that belongs to warp number `warp`.
  __device__ __forceinline__ ScratchList(const BoxTreeView<Real>& tree, const Query<Real>& query, int size,
                                         Memory& s_memory, const ListScratch& scratch, std::int64_t warp)
      : tree_(tree),
        query_(query),
        s_(s_memory),
        d_places_(scratch.d_places + warp * scratch.capacity),
        d_keys_(scratch.d_keys + warp * scratch.capacity),
        d_sorted_(scratch.d_sorted + warp * scratch.capacity),
        capacity_(static_cast<int>(scratch.capacity)),
        size_(size) {}

  __device__ __forceinline__ bool is_full() const { return kept_ == size_; }
  /// Whether two more candidates per lane may not fit.
  __device__ __forceinline__ bool needs_flush() const { return count_ > capacity_ - 2 * warp::k_lanes; }
  __device__ __forceinline__ int size() const { return size_; }
  /// The number of neighbours and candidates.
  __device__ __forceinline__ int count() const { return count_; }
  /// The key of the last neighbour. The list must be full.
  __device__ __forceinline__ const Key& last() const { return last_; }

  /// Appends the place of each lane for which `is_candidate` is true; both arguments may differ between lanes. No place
  /// may be appended twice, and that of the query itself not at all.
  __device__ __forceinline__ void append(std::uint32_t place, float, bool is_candidate) {
    const unsigned candidates = __ballot_sync(warp::k_all_lanes, is_candidate);
    if (is_candidate) d_places_[count_ + __popc(candidates & ((1u << warp::lane_id()) - 1))] = place;
    count_ += __popc(candidates);
  }

  /// Keeps the nearest of the neighbours and candidates as the neighbours. Always returns true.
  __device__ __forceinline__ bool flush(double) {
    __syncwarp();  // the places are written
    warp::ScratchSort sort(s_, false);
    int present = 0;
#pragma unroll 1
    while (true) {
      make_keys();
      present = sort.sort(d_keys_, count_, size_ + 1, d_sorted_);
      if (present <= size_ || !edge_is_open()) break;
      // The distances of a neighbour and another point are rounded to the same float32, but differ
      const auto precedes = [tree = &tree_, query = query_](std::uint32_t a, std::uint32_t b) {
        return query.key_of(tree->d_given[a]) < query.key_of(tree->d_given[b]);
      };
      __syncwarp();  // all have looked at the edge
      warp::sort_in_memory(d_places_, count_, precedes);
      count_ = size_;
    }
    kept_ = min(present, size_);
    drop_others();
    return true;
  }

  /// As LongList::write(), but always returns true.
  __device__ __forceinline__ bool write(const ResultRows& rows, std::int64_t row, float& radius) const {
    std::int32_t* const d_ids = rows.d_ids + row * rows.k;
    float* const d_distances = rows.d_distances + row * rows.k;
    for (int i = warp::lane_id(); i < kept_; i += warp::k_lanes) {
      const NeighborKey key = d_sorted_[i];
      d_ids[i] = neighbor_id(key);
      d_distances[i] = sq_dist_of(key);
    }
    for (std::int64_t j = kept_ + warp::lane_id(); j < rows.k; j += warp::k_lanes) {
      d_ids[j] = k_missing_id;
      d_distances[j] = INFINITY;
    }
    const float last = kept_ > 0 && is_full() ? sq_dist_of(d_sorted_[kept_ - 1]) : 0.0f;
    radius = last > 0x1p-100f && last < 0x1p100f ? __fmul_ru(last, 1 + 0x1p-22f) : -1.0f;
    return true;
  }

 private:
  __device__ __forceinline__ Key key_at(std::uint32_t place) const { return query_.key_of(tree_.d_given[place]); }

  /// Makes the key of every place as the row would have it.
  __device__ __forceinline__ void make_keys() {
    for (int i = warp::lane_id(); i < count_; i += warp::k_lanes) {
      const Key key = key_at(d_places_[i]);
      d_keys_[i] = neighbor_key(thread::float_root(key.sq_dist()), key.index);
    }
    __syncwarp();  // the keys are written
  }

  __device__ __forceinline__ float distance_at_edge() const { return sq_dist_of(d_sorted_[size_ - 1]); }

  /// Whether the last neighbour and the first point after it have the same distance as it is written, while the squared
  /// distances of all points with that distance are not the same.
  __device__ __forceinline__ bool edge_is_open() const {
    const float edge = distance_at_edge();
    if (sq_dist_of(d_sorted_[size_]) != edge) return false;
    double least = INFINITY, most = 0;
    for (int i = warp::lane_id(); i < count_; i += warp::k_lanes) {
      if (sq_dist_of(d_keys_[i]) != edge) continue;
      const double sq_dist = key_at(d_places_[i]).sq_dist();
      least = fmin(least, sq_dist);
      most = fmax(most, sq_dist);
    }
    return warp::reduce_min(least) != warp::reduce_max(most);
  }

  /// Keeps only the places of the neighbours, and finds the last neighbour.
  __device__ __forceinline__ void drop_others() {
    const bool has_last = kept_ > 0 && is_full();
    const NeighborKey edge = kept_ > 0 ? d_sorted_[kept_ - 1] : 0;
    Key last;
    bool has_one = false;
    int left = 0;
    for (int begin = 0; begin < count_; begin += warp::k_lanes) {
      const int i = begin + warp::lane_id();
      const NeighborKey key = i < count_ ? d_keys_[i] : k_absent;
      const std::uint32_t place = i < count_ ? d_places_[i] : 0;
      const bool stays = key <= edge;
      const unsigned staying = __ballot_sync(warp::k_all_lanes, stays);
      // Any point that is written with the last distance may be the last neighbour
      if (has_last && stays && sq_dist_of(key) == sq_dist_of(edge)) {
        const Key own = key_at(place);
        if (!has_one || last < own) last = own;
        has_one = true;
      }
      __syncwarp();  // the places have been read
      if (stays) d_places_[left + __popc(staying & ((1u << warp::lane_id()) - 1))] = place;
      left += __popc(staying);
    }
    count_ = left;
    __syncwarp();  // the places are written
    if (!has_last) return;
    for (int stride = warp::k_lanes / 2; stride > 0; stride /= 2) {
      Key other;
      other.index = __shfl_xor_sync(warp::k_all_lanes, last.index, stride);
      other.low = __shfl_xor_sync(warp::k_all_lanes, last.low, stride);
      other.high = __shfl_xor_sync(warp::k_all_lanes, last.high, stride);
      const bool others = __shfl_xor_sync(warp::k_all_lanes, has_one, stride);
      if (others && (!has_one || last < other)) last = other;
      has_one |= others;
    }
    last_ = last;
  }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  Memory& s_;
  std::uint32_t* const d_places_;
  NeighborKey* const d_keys_;
  NeighborKey* const d_sorted_;
  int capacity_, size_;
  int kept_ = 0;   // neighbours so far
  int count_ = 0;  // neighbours and candidates
  Key last_;       // the key of the last neighbour, if the list is full
};

}  // namespace kann::cuda::exact
