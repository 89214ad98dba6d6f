// A warp searches for one query: its lanes test boxes and points side by side, the nearest boxes first. This is for
// queries that are far apart, and for those for which a first bound is hard to find: here it falls with every bucket.
#pragma once

#include <type_traits>

#include "cuda/exact/bound.cuh"
#include "cuda/exact/query.cuh"
#include "cuda/exact/rank.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/thread/exact_key.cuh"
#include "cuda/thread/float_root.cuh"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// A point within the bound: its place and its key. Until the key is computed, key.high has the bits of the float32
/// squared distance. Read in one load.
struct alignas(16) SingleCandidate {
  thread::ExactKey key;
  std::uint32_t place;
};

/// The shared memory of a warp.
template <class Real>
struct SingleSearchMemory {
  /// The maximum number of candidates: the 32 of the list, and those of two rounds of a scan.
  static constexpr int k_max_candidates = 96;
  SingleCandidate candidates[k_max_candidates];  // the nearest so far, in order, and new ones after them
  Real sq_dists[k_max_levels][warp::k_lanes];    // to the 32 current nodes of each level; NaN: not to visit
  std::uint32_t first[k_max_levels];             // the first of these nodes
};

/// All 32 lanes of a warp call every function, and agree in all members. Lists of up to 32 neighbours.
template <class Real>
class SingleSearch {
 public:
  using Memory = SingleSearchMemory<Real>;

  __device__ __forceinline__ SingleSearch(const Search<Real>& search, const PlacedPoint& point, Memory& s_memory)
      : search_(search), query_(search, point), s_(s_memory), bound_(INFINITY) {
    limit_ = query_.exact_above(bound_);
  }

  /// Visits all boxes that may hold a neighbour, depth first; the nearest child of a node comes first.
  __device__ __forceinline__ void visit() {
    const int levels = search_.tree.levels;
    int level = levels - 1;
    open(level, 0);
#pragma unroll 1
    while (level < levels) {
      const Real sq_dist = s_.sq_dists[level][warp::lane_id()];
      const unsigned near = __ballot_sync(warp::k_all_lanes, sq_dist <= box_limit());
      if (near == 0) {
        ++level;
      } else if (level == 0) {
        visit_buckets(near);
      } else {
        const std::uint32_t child = take_nearest(level, sq_dist);
        if (child != k_none) open(--level, child * k_children);
      }
    }
    if (count_ > kept_) flush();
  }

  /// Writes the row. Call last.
  __device__ __forceinline__ void write(const ResultRows& rows) const {
    const std::int64_t row = query_.row;
    const int lane = warp::lane_id();
    const bool is_present = lane < kept_;
    const thread::ExactKey key = is_present ? s_.candidates[lane].key : thread::ExactKey();
    const float distance = is_present ? thread::float_root(key.sq_dist()) : INFINITY;
    const NeighborKey written = neighbor_key(distance, key.index);
    // Squared distances that differ may have the same root: rows are in the order of (distance, id)
    const NeighborKey before = __shfl_up_sync(warp::k_all_lanes, written, 1);
    int place = lane;
    if (__any_sync(warp::k_all_lanes, is_present && lane > 0 && written < before)) {
      place = 0;
      for (int other = 0; other < kept_; ++other) place += __shfl_sync(warp::k_all_lanes, written, other) < written;
    }
    std::int32_t* const d_ids = rows.d_ids + row * rows.k;
    float* const d_distances = rows.d_distances + row * rows.k;
    if (is_present) {
      d_ids[place] = static_cast<std::int32_t>(key.index);
      d_distances[place] = distance;
    }
    for (std::int64_t j = kept_ + lane; j < rows.k; j += warp::k_lanes) {
      d_ids[j] = k_missing_id;
      d_distances[j] = INFINITY;
    }
  }

 private:
  static constexpr int k_rounds = Memory::k_max_candidates / warp::k_lanes;
  static constexpr std::uint32_t k_none = 0xffffffffu;

  /// Whether the list is full and its last key bounds the search.
  __device__ __forceinline__ bool is_full() const { return kept_ == static_cast<int>(search_.list_size); }

  /// The maximum squared distance to a box that may hold a neighbour.
  __device__ __forceinline__ Real box_limit() const {
    if constexpr (std::is_same_v<Real, float>) return bound_;
    if constexpr (std::is_same_v<Real, double>) return limit_;
  }

  __device__ __forceinline__ const NodeBox<Real>* box_of(int level, std::uint32_t node) const {
    return search_.tree.d_boxes + search_.tree.first[level] + node;
  }

  /// Makes the 32 nodes from `first` on the current nodes of a level.
  __device__ __forceinline__ void open(int level, std::uint32_t first) {
    const std::uint32_t child = first + warp::lane_id();
    Real sq_dist = NAN;
    if (child < search_.tree.count[level])
      sq_dist = min_sq_dist<Real>(load_box(box_of(level, child)), query_.given(), query_.given());
    s_.sq_dists[level][warp::lane_id()] = sq_dist;
    __syncwarp();  // all lanes have read the first of the nodes before
    if (warp::lane_id() == 0) s_.first[level] = first;
    __syncwarp();  // the first is written
  }

  /// Takes the nearest of the current nodes of a level; `sq_dist` is the squared distance of the lane's node. Returns
  /// its number, or k_none if it holds no neighbour.
  __device__ __forceinline__ std::uint32_t take_nearest(int level, Real sq_dist) {
    const Real nearest = warp::reduce_min(sq_dist <= box_limit() ? sq_dist : static_cast<Real>(INFINITY));
    const int lane = __ffs(static_cast<int>(__ballot_sync(warp::k_all_lanes, sq_dist == nearest))) - 1;
    if (warp::lane_id() == lane) s_.sq_dists[level][lane] = NAN;
    const std::uint32_t node = s_.first[level] + lane;
    return may_enter(level, node, nearest) ? node : k_none;
  }

  /// Whether the box of a node may hold a neighbour; its squared distance `sq_dist` is within the limit. A box at the
  /// distance of the last neighbour does so only if it holds a lower index. May be called by some of the lanes.
  __device__ __forceinline__ bool may_enter(int level, std::uint32_t node, Real sq_dist) const {
    if (!is_full() || sq_dist < fma(box_limit(), 1 - Real{0x1p-18f}, -Real{0x1p-145f})) return true;
    return query_.min_key(load_box(box_of(level, node))) < s_.candidates[kept_ - 1].key;
  }

  /// Collects the points of up to four of the current buckets for which `near` has a bit.
  __device__ __forceinline__ void visit_buckets(unsigned near) {
    const int lane = warp::lane_id();
    const std::uint32_t first = s_.first[0];
    const bool is_near = near >> lane & 1;
    near = __ballot_sync(warp::k_all_lanes, is_near && may_enter(0, first + lane, s_.sq_dists[0][lane]));
    const unsigned others = scan(first, near);
    if (!(others >> lane & 1)) s_.sq_dists[0][lane] = NAN;
    if (count_ > Memory::k_max_candidates - warp::k_lanes) flush();
  }

  /// `buckets` has bits for some of the 32 buckets from `first` on. Collects the points of the lowest four of these,
  /// and returns the bits of the others.
  __device__ __forceinline__ unsigned scan(std::uint32_t first, unsigned buckets) {
    constexpr int at_once = warp::k_lanes / k_bucket_points;
    const int lane = warp::lane_id();
    unsigned own = 0;  // its lowest bit is the lane's bucket
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if (lane / k_bucket_points == i) own = buckets;
      buckets &= buckets - 1;
    }
    const std::uint32_t bucket = first + __ffs(static_cast<int>(own)) - 1;
    const std::uint32_t place = bucket * k_bucket_points + lane % k_bucket_points;
    float sq_dist = NAN;
    if (own != 0 && place < search_.tree.point_count) {
      const PlacedPoint point = search_.tree.d_points[place];
      if (!query_.is(point.index)) sq_dist = query_.sq_dist_to(point);
    }
    const bool is_near = sq_dist <= bound_;
    const unsigned near = __ballot_sync(warp::k_all_lanes, is_near);
    if (is_near) {
      SingleCandidate& s_own = s_.candidates[count_ + __popc(near & ((1u << lane) - 1))];
      s_own.key.high = __float_as_uint(sq_dist);
      s_own.place = place;
    }
    count_ += __popc(near);
    return buckets;
  }

  /// Keeps the list_size smallest of all candidates, in order, and lowers the bound.
  __device__ __forceinline__ void flush() {
    const int lane = warp::lane_id();
    __syncwarp();  // the candidates are written
    if (count_ - kept_ > warp::k_lanes) tighten();
    const thread::ExactKey last = is_full() ? s_.candidates[kept_ - 1].key : thread::ExactKey();
    int present = kept_;
#pragma unroll 1
    for (int begin = kept_; begin < count_; begin += warp::k_lanes) {
      thread::ExactKey key;
      if (begin + lane < count_) {
        const SingleCandidate& s_own = s_.candidates[begin + lane];
        if (__uint_as_float(s_own.key.high) <= bound_) key = query_.key_of(search_.tree.d_given[s_own.place]);
      }
      const bool is_near = key < last;
      const unsigned near = __ballot_sync(warp::k_all_lanes, is_near);
      __syncwarp();  // these candidates have been read
      if (is_near) s_.candidates[present + __popc(near & ((1u << lane) - 1))].key = key;
      present += __popc(near);
    }
    __syncwarp();  // the keys are written
    sort(present);
    count_ = kept_;
    if (!is_full()) return;
    limit_ = fmin(limit_, s_.candidates[kept_ - 1].key.sq_dist());
    bound_ = fminf(bound_, query_.filter_above(limit_));
  }

  /// Lowers the bound to what the first 64 of the new candidates prove by their float32 squared distances.
  __device__ __forceinline__ void tighten() {
    const auto sq_dist_of = [&](int i) {
      return i < count_ ? __uint_as_float(s_.candidates[i].key.high) : static_cast<float>(INFINITY);
    };
    float own = sq_dist_of(kept_ + warp::lane_id()), other = sq_dist_of(kept_ + warp::k_lanes + warp::lane_id());
    float last = 0;  // the greatest distance of the list_size nearest candidates
    for (std::int64_t i = 0; i < search_.list_size; ++i) {
      last = warp::reduce_min(fminf(own, other));
      const unsigned those = __ballot_sync(warp::k_all_lanes, fminf(own, other) == last);
      if (warp::lane_id() != __ffs(static_cast<int>(those)) - 1) continue;
      own <= other ? own = INFINITY : other = INFINITY;
    }
    bound_ = fminf(bound_, query_.filter_above(query_.exact_above(last)));
  }

  /// Keeps the list_size smallest of the first `count` keys, in order: the place of a key is the number of smaller
  /// ones.
  __device__ __forceinline__ void sort(int count) {
    const int lane = warp::lane_id();
    thread::ExactKey own[k_rounds];
    int place[k_rounds] = {};
#pragma unroll
    for (int r = 0; r < k_rounds; ++r) {
      if (r * warp::k_lanes >= count) break;
      if (r * warp::k_lanes + lane < count) own[r] = s_.candidates[r * warp::k_lanes + lane].key;
#pragma unroll 4
      for (int other = 0; other < count; ++other) place[r] += s_.candidates[other].key < own[r];
    }
    __syncwarp();  // all keys have been read
    kept_ = min(count, static_cast<int>(search_.list_size));
#pragma unroll
    for (int r = 0; r < k_rounds; ++r)
      if (!own[r].is_absent() && place[r] < kept_) s_.candidates[place[r]].key = own[r];
    __syncwarp();  // the kept keys are in order
  }

  const Search<Real>& search_;
  const Query<Real> query_;
  Memory& s_;
  float bound_;   // the maximum float32 squared distance of a neighbour
  double limit_;  // the maximum exact squared distance of a neighbour
  int kept_ = 0;
  int count_ = 0;  // candidates, including those that are kept
};

}  // namespace kann::cuda::exact
