// What the lanes of a warp found near their queries, each its own, until they put it into their lists together. Looking
// at a candidate costs a dozen instructions and inserting it sixty, and a warp pays for all if any of its lanes
// inserts: so candidates within the bound are noted first, without a branch, and inserted by all lanes at once.
#pragma once

#include "cuda/thread/nearest_list.cuh"
#include "cuda/thread/query.cuh"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::warp {

/// A lane's room for lists of K. As long as a lane finds no more, all insert what they found once. Of 16, 24 and 40
/// finds, each K has its best: 24 instead of 16 took exact K = 4 from 4.4 to 4.7 ms, and K = 16 from 14.8 to 12.9.
template <int K>
inline constexpr int k_find_room = K <= 4   ? 16
                                   : K <= 8 ? 24
                                            : 40;

/// Called by all 32 lanes of a warp with the same memory, which is the warp's own.
template <int k_room>
class Finds {
 public:
  static constexpr int k_group = 8;  // candidates that are looked at between two checks of room

  /// In two planes, so that a find is stored from where it lies.
  struct Shared {
    float sq_dists[k_room * k_lanes];  // find i of a lane at i·32 + lane
    std::uint32_t indices[k_room * k_lanes];
  };
  static constexpr unsigned k_step = k_lanes * sizeof(float);            // from a find to the lane's next, in bytes
  static constexpr unsigned k_plane = k_room * k_lanes * sizeof(float);  // from a distance to its index

  __device__ __forceinline__ explicit Finds(Shared& s_shared)
      : begin_(static_cast<unsigned>(__cvta_generic_to_shared(&s_shared.sq_dists[lane_id()]))), end_(begin_) {}

  /// Whether some lane has no room for another group.
  __device__ __forceinline__ bool is_short() const {
    return __any_sync(k_all_lanes, end_ > begin_ + (k_room - k_group) * k_step);
  }
  __device__ __forceinline__ int count() const { return static_cast<int>((end_ - begin_) / k_step); }

  /// Notes those of a group of candidates that are within the bound and, with `SkipsItself`, not the query itself.
  /// There must be room. All are fetched before any is looked at: a store between would hold up the loads after it.
  template <bool SkipsItself>
  __device__ __forceinline__ void look_at_group(const PlacedPoint* d_candidates, const thread::Query& query,
                                                float bound) {
    PlacedPoint group[k_group];
#pragma unroll
    for (int j = 0; j < k_group; ++j) group[j] = d_candidates[j];
#pragma unroll
    for (int j = 0; j < k_group; ++j) look_at<SkipsItself>(group[j], query, bound);
  }

  /// The same for one candidate.
  template <bool SkipsItself>
  __device__ __forceinline__ void look_at(const PlacedPoint& p, const thread::Query& query, float bound) {
    const float sq_dist = query.sq_dist_to(p);
    if (sq_dist <= bound && !(SkipsItself && query.is(p.index))) {
      store(end_, __float_as_uint(sq_dist));
      store(end_ + k_plane, p.index);
      end_ += k_step;
    }
  }

  /// Puts the finds into the lists, but for the query itself and, unless `Distinct`, for points that a list has
  /// already: those are passed over before all lanes insert. Then there is room again.
  template <bool Distinct, int K>
  __device__ __forceinline__ void keep(const thread::Query& query, thread::NearestList<K>& list) {
    unsigned next = begin_;
    while (true) {
      NeighborKey key = k_absent;
      bool fresh = false;
      while (next < end_ && !fresh) {
        const std::uint32_t index = load(next + k_plane);
        key = neighbor_key(__uint_as_float(load(next)), index);
        fresh = key < list.last() && !query.is(index) && (Distinct || !list.has(key));
        next += k_step;
      }
      if (!fresh) break;
      list.insert(key);
    }
    end_ = begin_;
  }

  /// Makes the finds, K of them with all different distances, the list; `smallest` are their distances. A find's place
  /// is the number of distances below its own. What is the query itself must not be among them.
  template <int K, class Values>
  __device__ __forceinline__ void make_list(const Values& smallest, thread::NearestList<K>& list) {
#pragma unroll
    for (int i = 0; i < K; ++i) {
      const float sq_dist = __uint_as_float(load(begin_ + i * k_step));
      const NeighborKey key = neighbor_key(sq_dist, load(begin_ + i * k_step + k_plane));
      int place = 0;
#pragma unroll
      for (int j = 0; j < K; ++j) place += smallest[j] < sq_dist;
      list.set(place, key);
    }
    end_ = begin_;
  }

 private:
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

  unsigned begin_;  // of the lane's finds, …
  unsigned end_;    // … and past the last
};

template <int K>
using FindsFor = Finds<k_find_room<K>>;

}  // namespace kann::cuda::warp
