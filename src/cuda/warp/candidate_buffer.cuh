// What the lanes of a warp found near their queries, each its own, until they put it into their lists together. Looking
// at a candidate costs a dozen instructions and inserting it sixty, and a warp pays for all if any of its lanes
// inserts: so candidates within the bound are noted first, without a branch, and inserted by all lanes at once.
#pragma once

#include "cuda/thread/nearest_list.cuh"
#include "cuda/thread/query.cuh"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::warp {

/// Called by all 32 lanes of a warp with the same memory, which is the warp's own; a lane has room for k_capacity
/// finds. As long as it finds no more, all insert what they found once.
template <int k_capacity>
class CandidateBuffer {
 public:
  /// In two planes, so that a find is stored from where it lies.
  struct Shared {
    float sq_dists[k_capacity * k_lanes];  // find i of a lane at i·32 + lane
    std::uint32_t indices[k_capacity * k_lanes];
  };

  __device__ __forceinline__ explicit CandidateBuffer(Shared& s_shared)
      : begin_(static_cast<unsigned>(__cvta_generic_to_shared(&s_shared.sq_dists[lane_id()]))), end_(begin_) {}

  /// Whether some lane has no room for `count` more.
  __device__ __forceinline__ bool lacks_room(int count) const {
    return __any_sync(k_all_lanes, end_ > begin_ + (k_capacity - count) * k_step);
  }

  /// Notes those of N candidates that are within the bound and not to be passed over. There must be room. All are
  /// fetched before any is looked at: a store between would hold up the loads after it.
  template <int N, class PassOver>
  __device__ __forceinline__ void collect(const PlacedPoint* d_candidates, const thread::Query& query, float bound,
                                          PassOver pass_over) {
    PlacedPoint group[N];
#pragma unroll
    for (int j = 0; j < N; ++j) group[j] = d_candidates[j];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float sq_dist = query.sq_dist_to(group[j]);
      if (sq_dist <= bound && !pass_over(group[j].index)) {
        store(end_, __float_as_uint(sq_dist));
        store(end_ + k_plane, group[j].index);
        end_ += k_step;
      }
    }
  }

  /// Puts the finds into the lists, but for the query itself; no point may be among them twice or be in the list. Then
  /// there is room again.
  template <int K>
  __device__ __forceinline__ void flush_distinct(const thread::Query& query, thread::NearestList<K>& list) {
    unsigned s_entry = begin_;
    while (true) {
      // Those that are no longer within the list are passed over before all lanes insert
      NeighborKey key = k_absent;
      bool closer = false;
      while (s_entry < end_ && !closer) {
        key = load_key(s_entry);
        closer = key < list.last() && !query.is(static_cast<std::uint32_t>(key));
        s_entry += k_step;
      }
      if (!closer) break;
      list.insert(key);
    }
    end_ = begin_;
  }

  /// Puts the finds into the lists, but for the query itself and points that a list has already. row_of() tells a
  /// point's row from its index as noted. Then there is room again.
  template <int K, class RowOf>
  __device__ __forceinline__ void flush_new(const thread::Query& query, RowOf row_of, thread::NearestList<K>& list) {
    name_rows(row_of);
    for (unsigned s_entry = begin_; s_entry < end_; s_entry += k_step) {
      const NeighborKey key = load_key(s_entry);
      const auto row = static_cast<std::uint32_t>(key);
      if (key < list.last() && !query.is(row) && !list.has(row)) list.insert(key);
    }
    end_ = begin_;
  }

 private:
  static constexpr unsigned k_step = k_lanes * sizeof(float);                // from a find to the lane's next, in bytes
  static constexpr unsigned k_plane = k_capacity * k_lanes * sizeof(float);  // from a distance to its index

  /// Several at a time, as each is a fetch.
  template <class RowOf>
  __device__ __forceinline__ void name_rows(RowOf row_of) {
    constexpr int at_once = 4;
    for (unsigned s_entry = begin_; s_entry < end_; s_entry += at_once * k_step) {
      std::uint32_t rows[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (s_entry + j * k_step < end_) rows[j] = row_of(load(s_entry + j * k_step + k_plane));
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (s_entry + j * k_step < end_) store(s_entry + j * k_step + k_plane, rows[j]);
    }
  }

  // By addresses of shared memory, which are 32 bits wide: the compiler makes three instructions of an index, and a
  // generic address, twice as slow, of a pointer that moves.
  __device__ __forceinline__ static void store(unsigned s_address, std::uint32_t value) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(s_address), "r"(value) : "memory");
  }
  __device__ __forceinline__ static std::uint32_t load(unsigned s_address) {
    std::uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(s_address) : "memory");
    return value;
  }
  __device__ __forceinline__ static NeighborKey load_key(unsigned s_entry) {
    return neighbor_key(__uint_as_float(load(s_entry)), load(s_entry + k_plane));
  }

  unsigned begin_;  // of the lane's finds, …
  unsigned end_;    // … and past the last
};

}  // namespace kann::cuda::warp
