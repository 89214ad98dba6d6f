// A buffer of candidates per lane, in shared memory, from which all lanes of a warp insert into their lists together.
// Testing a candidate takes 14 instructions and inserting it takes 46, and a warp executes those 46 if any of its lanes
// inserts. So candidates within the bound are first stored, without a branch, and later inserted by all
// lanes at once.
#pragma once

#include "cuda/thread/nearest_list.cuh"
#include "cuda/thread/query.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/shared_memory.cuh"

namespace kann::cuda::warp {

/// Called by all 32 lanes of a warp with the same `s_shared`, which no other warp uses; a lane has k_capacity entries.
/// k_capacity = 12: each lane collects groups of 4 until needs_flush(4), flushes, and goes on; it flushes at the end.
template <int k_capacity>
class CandidateBuffer {
 public:
  /// Two arrays, so that the distance and the index are stored from the registers that hold them.
  struct Shared {
    float sq_dists[k_capacity * k_lanes];  // candidate i of a lane at i·32 + lane
    std::uint32_t indices[k_capacity * k_lanes];
  };

  __device__ __forceinline__ explicit CandidateBuffer(Shared& s_shared)
      : begin_(shared_address(&s_shared.sq_dists[lane_id()])), end_(begin_) {}

  /// Whether the lane has `count` free entries. May be called by some of the lanes, as append().
  __device__ __forceinline__ bool has_free(int count) const { return end_ <= begin_ + (k_capacity - count) * k_step; }

  /// Whether any lane has fewer than `count` free entries. Valid in all lanes.
  __device__ __forceinline__ bool needs_flush(int count) const { return __any_sync(k_all_lanes, !has_free(count)); }

  /// Stores a candidate. The lane must have a free entry.
  __device__ __forceinline__ void append(float sq_dist, std::uint32_t index) {
    store_shared(end_, __float_as_uint(sq_dist));
    store_shared(end_ + k_plane, index);
    end_ += k_step;
  }

  /// Stores those of N candidates that are within the bound and for which skip(index) is false. The lane must have N
  /// free entries. All candidates are loaded before the first is tested: a store in between would delay the loads after
  /// it.
  template <int N, class Skip>
  __device__ __forceinline__ void collect(const PlacedPoint* d_candidates, const thread::Query& query, float bound,
                                          Skip skip) {
    PlacedPoint group[N];
#pragma unroll
    for (int j = 0; j < N; ++j) group[j] = d_candidates[j];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float sq_dist = query.sq_dist_to(group[j]);
      const bool skips = skip(group[j].index);
      if (sq_dist <= bound && !skips) append(sq_dist, group[j].index);
    }
  }

  /// Inserts the lane's candidates into its list, except the query itself, and empties the buffer. No candidate may be
  /// in the buffer twice or be in the list already.
  template <int K>
  __device__ __forceinline__ void flush_distinct(const thread::Query& query, thread::NearestList<K>& list) {
    unsigned s_entry = begin_;
    while (true) {
      // Skip candidates that do not pass, before all lanes insert one
      NeighborKey key = k_absent;
      bool found = false;
      while (s_entry < end_ && !found) {
        key = load_key(s_entry);
        found = key < list.last() && !query.is(static_cast<std::uint32_t>(key));
        s_entry += k_step;
      }
      if (!found) break;
      list.insert(key);
    }
    end_ = begin_;
  }

  /// Inserts the lane's candidates into its list, except the query itself and points that are in the list already, and
  /// empties the buffer. row_of(index) is the row of the candidate that was stored with that index.
  template <int K, class RowOf>
  __device__ __forceinline__ void flush_new(const thread::Query& query, RowOf row_of, thread::NearestList<K>& list) {
    replace_by_rows(row_of);
    for (unsigned s_entry = begin_; s_entry < end_; s_entry += k_step) {
      const NeighborKey key = load_key(s_entry);
      const auto row = static_cast<std::uint32_t>(key);
      if (key < list.last() && !query.is(row) && !list.has(row)) list.insert(key);
    }
    end_ = begin_;
  }

 private:
  static constexpr unsigned k_step = k_lanes * sizeof(float);  // bytes from a candidate to the lane's next
  static constexpr unsigned k_plane = k_capacity * k_lanes * sizeof(float);  // bytes from a distance to its index

  /// Replaces the stored indices by rows, four at a time, so that four loads are in flight.
  template <class RowOf>
  __device__ __forceinline__ void replace_by_rows(RowOf row_of) {
    constexpr int at_once = 4;
    for (unsigned s_entry = begin_; s_entry < end_; s_entry += at_once * k_step) {
      std::uint32_t rows[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (s_entry + j * k_step < end_) rows[j] = row_of(load_shared(s_entry + j * k_step + k_plane));
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (s_entry + j * k_step < end_) store_shared(s_entry + j * k_step + k_plane, rows[j]);
    }
  }

  __device__ __forceinline__ static NeighborKey load_key(unsigned s_entry) {
    return neighbor_key(__uint_as_float(load_shared(s_entry)), load_shared(s_entry + k_plane));
  }

  unsigned begin_;  // address of the lane's first candidate
  unsigned end_;    // the address past its last
};

}  // namespace kann::cuda::warp
