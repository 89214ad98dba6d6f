// A warp searches for 32 neighbouring queries together. The data around their places on the curve give an upper bound
// of the distances of their neighbours. Then the boxes that may hold a point within the bound of any query are visited;
// the 32 children of an inner node are tested at once, one per lane. The buckets are listed, and the nearest ones are
// scanned first, to lower the bounds for the others. Points are filtered by TensorFilter before any float32 distance is
// computed; those that pass are appended to a buffer per lane, which all lanes flush together. The list, a template
// parameter, has the buffer, and says which points are neighbours: Float32List, or ExactFloat32List for lattices.
#pragma once

#include <cstdint>
#include <limits>

#include "cuda/exact/query.cuh"
#include "cuda/exact/teams/box_traversal.cuh"
#include "cuda/exact/teams/tensor_filter.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"
#include "cuda/warp/shared_memory.cuh"

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

/// The number of batches of 32 points that are filtered at once. With two, more lanes have candidates to take at the
/// same time; for K = 8, shared memory then allows a block less, which costs as much.
template <int K>
inline constexpr int k_batches = K == 8 ? 1 : 2;

/// The shared memory of a warp.
template <class List>
struct FilteredSearchMemory {
  static constexpr int k_max_buckets = 4 * k_children;
  static constexpr int k_max_batches = k_batches<List::k_size>;
  BoxTraversalMemory<typename List::Coordinate> traversal;
  TensorFilterMemory<k_max_batches> filter;
  PlacedPoint points[k_max_batches]
                    [1 + warp::k_lanes];  // a NaN point, then a batch, the highest bit first; indices are numbers
  NearBucket buckets[k_max_buckets];      // the nearest ones fill it from the front, the others from the end
  typename List::Shared list;
};

/// One query per lane. Called by all 32 lanes of a warp.
template <class List>
class FilteredSearch {
 public:
  using Real = typename List::Coordinate;
  using Memory = FilteredSearchMemory<List>;

  __device__ __forceinline__ FilteredSearch(const Search<Real>& search, const Query<Real>& query, Memory& s_memory)
      : tree_(search.tree),
        query_(query),
        s_(s_memory),
        list_(search, query, s_memory.list),
        traversal_(search.tree, query, s_memory.traversal),
        filter_(s_memory.filter) {
    if (warp::lane_id() < k_max_batches) s_.points[warp::lane_id()][0] = {NAN, NAN, NAN, 0};
  }

  /// Searches within a first bound per lane: `nearest` is the K-th smallest float32 squared distance of some points, or
  /// infinity. Returns false if the search takes too long and ends before all boxes are visited, which it never does if
  /// the list is exact. Valid in all lanes.
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

  __device__ __forceinline__ const List& list() const { return list_; }

 private:
  /// The candidates of a lane among the points of the current batches.
  struct Candidates {
    unsigned bits;      // candidates in the first batch that is not done
    unsigned later;     // candidates in the batch after it
    unsigned s_points;  // the address of the point of the highest of `bits`
    __device__ __forceinline__ bool any() const { return (bits | later) != 0; }
  };

  static constexpr int k_max_batches = Memory::k_max_batches;
  static constexpr int k_batch_buckets = warp::k_lanes / k_bucket_points;
  static constexpr int k_buckets_at_once = k_max_batches * k_batch_buckets;
  static constexpr int k_batch_bytes = (1 + warp::k_lanes) * sizeof(PlacedPoint);
  static constexpr int k_last = Memory::k_max_buckets - 1;  // the last entry; from the end, entry e is e ^ k_last
  static constexpr std::uint32_t k_no_bucket = 0xffffffffu / k_bucket_points;  // past all points
  /// The maximum number of lists of buckets, of 89 to 124 buckets each. If more are needed, the bounds are bad, or the
  /// queries need different buckets. A list that is exact has to decide them all the same.
  static constexpr int k_max_lists = List::k_is_exact ? std::numeric_limits<int>::max() : 32;
  /// The maximum number of flushes because of full buffers. If more are needed, the bounds are bad, or many points are
  /// equally far, for instance at one place.
  static constexpr int k_max_flushes = List::k_is_exact ? std::numeric_limits<int>::max() : 64;

  /// Appends those of the 32 buckets from `first` on that may hold a neighbour.
  __device__ __forceinline__ void push(std::uint32_t first) {
    const Real sq_dist = traversal_.sq_dist_to_child(0, first);
    const bool may_hold = sq_dist <= warp_limit_, is_near = sq_dist <= near_limit_;
    const unsigned all = __ballot_sync(warp::k_all_lanes, may_hold), near = __ballot_sync(warp::k_all_lanes, is_near);
    const unsigned lower = (1u << warp::lane_id()) - 1;
    const int entry = is_near ? near_ + __popc(near & lower) : k_last - (far_ + __popc(all & ~near & lower));
    if (may_hold) s_.buckets[entry] = {first + warp::lane_id(), float_below(sq_dist)};
    near_ += __popc(near);
    far_ += __popc(all & ~near);
  }

  /// Begins the filter with the current bounds.
  __device__ __forceinline__ void begin_filter() {
    const float own[3] = {query_.x, query_.y, query_.z}, most = warp::reduce_max(list_.bound());
    const float reach = sqrtf(most) * (1 + 0x1p-20f);
    is_filtered_ = filter_.begin(own, reach);
    if (is_filtered_) filter_.set_bound(list_.bound());
  }

  /// Fills the list with the next buckets that may hold a neighbour. Returns whether there are no more.
  __device__ __forceinline__ bool fill_list() {
    const auto may_enter = [this](const NodeBox<Real>& box) { return list_.any_may_enter(box); };
    near_ = far_ = 0;
    near_limit_ = warp_limit_ * k_near_share;
    __syncwarp();  // the list before has been read
    while (near_ + far_ <= Memory::k_max_buckets - k_children - k_buckets_at_once) {
      std::uint32_t first = 0;
      if (!traversal_.next(warp_limit_, may_enter, first)) return true;
      push(first);
    }
    return false;
  }

  /// Scans the buckets in the list that may hold a neighbour: the nearest first, which lower the bounds.
  __device__ __forceinline__ void scan_list() {
#pragma unroll 1
    for (int pass = 0; pass < 2; ++pass) {
      if (pass == 1) drop_far();
      chosen_ = pass == 0 ? near_ : far_;
      from_end_ = pass == 0 ? 0 : k_last;
      if (chosen_ == 0) continue;
      if (warp::lane_id() < k_buckets_at_once - 1)  // the last batches may lack some buckets
        s_.buckets[(chosen_ + warp::lane_id()) ^ from_end_].number = k_no_bucket;
      __syncwarp();  // the list is written
      int entry = 0;
      Candidates left{};
#pragma unroll 1
      while (true) {
        const bool is_over = collect(entry, left);
        flush();
        if (is_over) break;
        if (++flush_count_ > k_max_flushes) return;
      }
    }
  }

  /// Drops the farther buckets that hold no neighbour according to the bounds as they are now.
  __device__ __forceinline__ void drop_far() {
    const float limit = float_above(warp_limit_);
    int kept = 0;
    __syncwarp();  // the list is written, even if no bucket was near
#pragma unroll 1
    for (int begin = 0; begin < far_; begin += warp::k_lanes) {
      const int entry = begin + warp::lane_id();
      const NearBucket bucket = entry < far_ ? s_.buckets[k_last - entry] : NearBucket{0, NAN};
      const bool is_kept = bucket.sq_dist <= limit;
      const unsigned those = __ballot_sync(warp::k_all_lanes, is_kept), lower = (1u << warp::lane_id()) - 1;
      __syncwarp();  // these entries have been read
      if (is_kept) {
        NearBucket& s_kept = s_.buckets[k_last - (kept + __popc(those & lower))];
        s_kept.number = bucket.number;
        if constexpr (List::k_is_exact) s_kept.sq_dist = bucket.sq_dist;
      }
      kept += __popc(those);
    }
    far_ = kept;
  }

  /// Collects the points within the bounds: first those of `left`, then those of the chosen buckets from `entry` on.
  /// Returns false if a flush is needed before the rest.
  __device__ __forceinline__ bool collect(int& entry, Candidates& left) {
#pragma unroll 1
    while (true) {
#pragma unroll 1
      while (left.any() && list_.has_free(2)) {
        if constexpr (k_max_batches > 1) {
          if (left.bits == 0) left = {left.later, 0, left.s_points + k_batch_bytes};
        }
        take(left);
        take(left);
      }
      if (__any_sync(warp::k_all_lanes, left.any())) return false;
      if (entry >= chosen_) return true;
      left = next_candidates(entry);
      entry += k_buckets_at_once;
    }
  }

  /// Takes the point of the highest bit that is set, if one is, and clears it. Called by some of the lanes. As plain
  /// C++, the three steps take twice as many instructions.
  __device__ __forceinline__ void take(Candidates& left) {
    unsigned place, bit, s_point;
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(place) : "r"(left.bits));       // counted from the highest; −1: none
    asm("shr.b32 %0, %1, %2;" : "=r"(bit) : "r"(0x80000000u), "r"(place));  // 0: none
    asm("mad.lo.u32 %0, %1, 16, %2;" : "=r"(s_point) : "r"(place), "r"(left.s_points));  // without a bit, the NaN point
    static_assert(sizeof(PlacedPoint) == 16);
    const PlacedPoint p = warp::load_shared_point(s_point);
    list_.append(query_.sq_dist_to(p), p.index);
    left.bits &= ~bit;
  }

  /// Loads the points of the next chosen buckets, from entry `first` on, as the current batches. Returns those that may
  /// be within the lane's bound.
  __device__ __forceinline__ Candidates next_candidates(int first) {
    PlacedPoint points[k_max_batches];
#pragma unroll
    for (int i = 0; i < k_max_batches; ++i) points[i] = chosen_point(first + i * k_batch_buckets);
    const bool all = k_max_batches > 1 && first + k_batch_buckets < chosen_;
    __syncwarp();  // the points before have been read
#pragma unroll
    for (int i = 0; i < k_max_batches; ++i) {
      if (i > 0 && !all) break;
      s_.points[i][warp::k_lanes - warp::lane_id()] = points[i];
      if (is_filtered_) filter_.put(i, points[i]);
    }
    __syncwarp();  // the points are written
    Candidates candidates = {warp::k_all_lanes, all ? warp::k_all_lanes : 0, warp::shared_address(&s_.points[0][1])};
    if (is_filtered_) {
      candidates.bits = filter_.candidates(0);
      if (all) candidates.later = filter_.candidates(1);
    }
    if constexpr (List::k_is_exact) {
      candidates.bits &= may_be_neighbors(first, points[0]);
      if (all) candidates.later &= may_be_neighbors(first + k_batch_buckets, points[k_max_batches - 1]);
    }
    return candidates;
  }

  /// The lane's bucket of the four chosen ones from entry `first` on.
  __device__ __forceinline__ const NearBucket& chosen_bucket(int first) const {
    return s_.buckets[(first + warp::lane_id() / k_bucket_points) ^ from_end_];
  }

  /// The lane's point in the four chosen buckets from entry `first` on; its index becomes the number that append()
  /// takes. If there is no such point, x is NaN.
  __device__ __forceinline__ PlacedPoint chosen_point(int first) const {
    const std::uint32_t place = chosen_bucket(first).number * k_bucket_points + warp::lane_id() % k_bucket_points;
    const std::uint32_t last = static_cast<std::uint32_t>(tree_.point_count) - 1;
    PlacedPoint point = tree_.d_points[min(place, last)];
    if (place > last) point.x = NAN;
    point.index = List::number_of(place, point.index);
    return point;
  }

  /// A bit for each point of the four chosen buckets from entry `first` on: 1 if the point may be a neighbour of any
  /// query, judged by its bucket's distance and its index alone. `point` is the lane's point. This rules out nearly all
  /// points where those of many buckets are at one place.
  __device__ __forceinline__ unsigned may_be_neighbors(int first, const PlacedPoint& point) const {
    return __ballot_sync(warp::k_all_lanes, list_.any_may_take(chosen_bucket(first).sq_dist, point.index));
  }

  /// Keeps only the nearest candidates, and lowers the bounds.
  __device__ __forceinline__ void flush() {
    list_.flush();
    update_limits();
    if (is_filtered_) filter_.set_bound(list_.bound());
  }

  __device__ __forceinline__ void update_limits() { warp_limit_ = warp::reduce_max(list_.box_limit()); }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  Memory& s_;
  List list_;
  BoxTraversal<Real> traversal_;
  TensorFilter<k_max_batches> filter_;
  Real warp_limit_;  // maximum squared distance from a box with a neighbour to a query of the warp
  Real near_limit_;  // maximum squared distance of the nearest buckets
  bool is_filtered_ = false;
  int near_ = 0, far_ = 0;  // buckets in the list
  int chosen_ = 0;          // the number of them to scan now
  int from_end_ = 0;        // k_last if these fill the list from its end, otherwise 0
  int flush_count_ = 0;     // flushes because of full buffers
};

}  // namespace kann::cuda::exact
