// A warp searches for 32 neighbouring queries together. The data around their places on the curve give an upper bound
// of the distances of their neighbours; then the boxes that may hold a point within the bound of any query are visited:
// of an inner node, 32 children are tested at once, one per lane. The buckets are listed, of which the nearest ones
// lower the bounds before the others are scanned. Points are filtered by TensorFilter before any float32 distance is
// computed; those that pass are appended to a buffer per lane, which all lanes flush together.
#pragma once

#include "cuda/exact/query.cuh"
#include "cuda/exact/teams/box_traversal.cuh"
#include "cuda/exact/teams/float32_list.cuh"
#include "cuda/exact/teams/tensor_filter.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// Buckets within this share of the limit of squared distances are scanned first.
constexpr float k_near_share = 0.02f;

/// A bucket, and a lower bound of its squared distance from the box of a warp's queries.
struct NearBucket {
  std::uint32_t number;
  float sq_dist;
};

/// The nearest float32 that is not greater, and the nearest that is not less.
__device__ __forceinline__ float float_below(float x) { return x; }
__device__ __forceinline__ float float_above(float x) { return x; }
__device__ __forceinline__ float float_below(double x) { return __double2float_rd(x); }
__device__ __forceinline__ float float_above(double x) { return __double2float_ru(x); }

/// The shared memory of a warp.
template <int K, class Real>
struct FilteredSearchMemory {
  static constexpr int k_max_buckets = 3 * k_children;
  BoxTraversalMemory<Real> traversal;
  TensorFilterMemory filter;
  PlacedPoint points[1 + warp::k_lanes];  // none, and those at hand, in the order of their bits; indices are places
  NearBucket buckets[k_max_buckets];
  std::uint8_t chosen[k_max_buckets];  // of these, to scan now
  typename Float32List<K, Real>::Shared list;
};

/// One query per lane. Called by all 32 lanes of a warp.
template <int K, class Real>
class FilteredSearch {
 public:
  using Memory = FilteredSearchMemory<K, Real>;

  __device__ __forceinline__ FilteredSearch(const Search<Real>& search, const Query<Real>& query, Memory& s_memory)
      : tree_(search.tree),
        query_(query),
        s_(s_memory),
        list_(search, query, s_memory.list),
        traversal_(search.tree, query, s_memory.traversal),
        filter_(s_memory.filter) {
    if (warp::lane_id() == 0) s_.points[0] = {NAN, NAN, NAN, 0};
  }

  /// Searches from bounds on: the K-th smallest float32 squared distance of some points, or infinity. Returns false if
  /// it ends before all is visited, since that takes long. Valid in all lanes.
  __device__ __forceinline__ bool search_within(float nearest) {
    list_.tighten(nearest);
    update_limits();
    begin_filter();
    traversal_.begin(warp_limit_);
    bool is_over = false;
#pragma unroll 1
    for (int lists = 0; !is_over; ++lists) {
      if (lists == k_max_lists || flush_count_ > k_max_flushes) return false;
      is_over = fill_list();
      scan_list();
    }
    return flush_count_ <= k_max_flushes;
  }

  __device__ __forceinline__ const Float32List<K, Real>& list() const { return list_; }

 private:
  static constexpr int k_buckets_at_once = warp::k_lanes / k_bucket_points;
  static constexpr int k_at_once = 8;  // candidates
  /// Lists of buckets, of 64 to 96 each. Where more are scanned, the bounds are bad, or the queries want different
  /// buckets.
  static constexpr int k_max_lists = 32;
  /// Where more are needed because buffers are full, the bounds are bad, or many points are equally far, such as at one
  /// place.
  static constexpr int k_max_flushes = 64;

  /// Appends those of the 32 buckets from `first` on that may hold a neighbour.
  __device__ __forceinline__ void push(std::uint32_t first) {
    const Real sq_dist = traversal_.sq_dist_to_child(0, first);
    const bool is_near = sq_dist <= warp_limit_;
    const unsigned near = __ballot_sync(warp::k_all_lanes, is_near), lower = (1u << warp::lane_id()) - 1;
    if (is_near) s_.buckets[count_ + __popc(near & lower)] = {first + warp::lane_id(), float_below(sq_dist)};
    count_ += __popc(near);
  }

  /// Begins the filter, for the bounds as they are.
  __device__ __forceinline__ void begin_filter() {
    const float own[3] = {query_.x, query_.y, query_.z}, most = warp::reduce_max(list_.bound());
    const float reach = sqrtf(most) * (1 + 0x1p-20f);
    is_filtered_ = filter_.begin(own, reach);
    if (is_filtered_) filter_.set_bound(list_.bound());
  }

  /// Fills the list with the next buckets that may hold a neighbour. Returns whether there are no more.
  __device__ __forceinline__ bool fill_list() {
    const auto may_enter = [this](const NodeBox<Real>& box) { return list_.any_may_enter(box); };
    count_ = 0;
    while (count_ <= Memory::k_max_buckets - k_children) {
      std::uint32_t first = 0;
      if (!traversal_.next(warp_limit_, may_enter, first)) return true;
      push(first);
    }
    return false;
  }

  /// Scans the buckets in the list that may hold a neighbour: the nearest first, which lower the bounds.
  __device__ __forceinline__ void scan_list() {
    float beyond = -1, limit = float_above(warp_limit_) * k_near_share;
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
      choose(beyond, limit);
      int entry = 0;
      unsigned left = 0;  // candidates among the points at hand
#pragma unroll 1
      while (true) {
        const bool is_over = collect(entry, left);
        flush();
        if (is_over) break;
        if (++flush_count_ > k_max_flushes) return;
      }
      beyond = limit;
      limit = float_above(warp_limit_);
    }
  }

  /// Makes the buckets in the list that are farther than `beyond`, and not farther than `limit`, the chosen ones.
  __device__ __forceinline__ void choose(float beyond, float limit) {
    chosen_ = 0;
    __syncwarp();  // the list is written, and those chosen before have been read
#pragma unroll 1
    for (int begin = 0; begin < count_; begin += warp::k_lanes) {
      const int entry = begin + warp::lane_id();
      const NearBucket bucket = entry < count_ ? s_.buckets[entry] : NearBucket{0, NAN};
      const bool is_chosen = beyond < bucket.sq_dist && bucket.sq_dist <= limit;
      const unsigned those = __ballot_sync(warp::k_all_lanes, is_chosen), lower = (1u << warp::lane_id()) - 1;
      if (is_chosen) s_.chosen[chosen_ + __popc(those & lower)] = static_cast<std::uint8_t>(entry);
      chosen_ += __popc(those);
    }
    __syncwarp();  // they are written
  }

  /// Collects points within the bounds: `left` of those at hand, and all of the chosen buckets from `entry` on.
  /// Returns false if a flush is needed before the rest.
  __device__ __forceinline__ bool collect(int& entry, unsigned& left) {
#pragma unroll 1
    while (true) {
      // Up to eight candidates of each lane, for which there is space after a flush
      while (__any_sync(warp::k_all_lanes, left != 0)) {
        if (list_.needs_flush(min(__popc(left), k_at_once))) return false;
#pragma unroll 1
        for (int i = 0; i < k_at_once && __any_sync(warp::k_all_lanes, left != 0); i += 2) {
          take(left);
          take(left);
        }
      }
      if (entry >= chosen_) return true;
      left = next_candidates(entry);
      entry += k_buckets_at_once;
    }
  }

  /// Takes the point of the highest bit that is set, if one is, and clears it.
  __device__ __forceinline__ void take(unsigned& left) {
    const int bit = highest(left);  // −1 if none is
    const PlacedPoint& p = s_.points[1 + bit];
    list_.append(query_.sq_dist_to(p), p.index);
    left &= ~(1u << (bit & (warp::k_lanes - 1)));
  }

  /// Puts the points of four of the chosen buckets, from `first` on, at hand. Returns a bit for each that may be
  /// within the lane's bound.
  __device__ __forceinline__ unsigned next_candidates(int first) {
    const PlacedPoint point = chosen_point(first);
    __syncwarp();  // the points before have been read
    s_.points[1 + TensorFilter::bit_of(warp::lane_id())] = point;
    const unsigned candidates = is_filtered_ ? filter_.candidates(point) : warp::k_all_lanes;
    __syncwarp();  // the points are written
    return candidates;
  }

  /// The lane's point of four of the chosen buckets, from `first` on; its index is its place. NaN if there is none.
  __device__ __forceinline__ PlacedPoint chosen_point(int first) const {
    const int entry = first + warp::lane_id() / k_bucket_points;
    PlacedPoint point{NAN, NAN, NAN, 0};
    if (entry < chosen_) {
      const std::uint32_t place =
          s_.buckets[s_.chosen[entry]].number * k_bucket_points + warp::lane_id() % k_bucket_points;
      if (place < static_cast<std::uint32_t>(tree_.point_count)) point = tree_.d_points[place];
      point.index = place;
    }
    return point;
  }

  /// Leaves out all candidates but the nearest, and lowers the bounds.
  __device__ __forceinline__ void flush() {
    list_.flush();
    update_limits();
    if (is_filtered_) filter_.set_bound(list_.bound());
  }

  __device__ __forceinline__ void update_limits() { warp_limit_ = warp::reduce_max(list_.box_limit()); }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  Memory& s_;
  Float32List<K, Real> list_;
  BoxTraversal<Real> traversal_;
  TensorFilter filter_;
  Real warp_limit_;  // maximum squared distance from a box with a neighbour to a query of the warp
  bool is_filtered_ = false;
  int count_ = 0, chosen_ = 0;  // buckets in the list, and those of them that are chosen
  int flush_count_ = 0;         // because of full buffers
};

}  // namespace kann::cuda::exact
