// A warp collects the points near one query into a list: all points within a bound, or the nearest of them.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cuda/exact/bound.cuh"
#include "cuda/exact/lists/near_nodes.cuh"
#include "cuda/exact/lists/query_run.cuh"
#include "cuda/exact/query.cuh"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::exact {

constexpr int k_buckets_at_once = 2 * warp::k_lanes / k_bucket_points;
constexpr int k_max_buckets = 4 * k_children;

template <class List, class Real>
struct WarpMemory {
  QueryRunMemory queries;
  typename List::Memory list;
  NearNodesMemory<Real> nodes;
  std::uint32_t buckets[k_max_buckets];  // the buckets still to scan
};

/// The outcome of a search. Undecided: float32 does not decide which points are the neighbours, or in which order.
/// Wide: more nodes are within the bound than are found at once, as for queries that are far from all points.
enum class Outcome { found, too_few, undecided, wide };

/// All 32 lanes of a warp call every function, and agree in all members. For Lists that leave wide searches, these
/// collect nothing.
template <class Lists, class Real>
class ListSearch {
 public:
  using List = typename Lists::List;

  __device__ __forceinline__ ListSearch(const Search<Real>& search, const Query<Real>& query, NearNodes<Real>& nodes,
                                        const List& list, WarpMemory<List, Real>& s_memory)
      : tree_(search.tree), query_(query), nodes_(nodes), list_(list), s_(s_memory) {}

  /// Makes neighbours of the points within `bound`, a float32 squared distance, or of the nearest of them. If they are
  /// too few and `may_grow` announces a larger bound, keeps them as candidates. `spare`: how much farther to look for
  /// nodes, relative to the bound, for the next queries.
  __device__ __forceinline__ Outcome search_within(float bound, bool may_grow, double spare) {
    inner_ = bound_;
    bound_ = bound;
    limit_ = query_.exact_above(bound);
    const float reach = __fsqrt_ru(rounded_up(limit_));
    if (!nodes_.hold(query_.given(), reach)) nodes_.find(query_.given(), reach * (1 + spare));
    // Guesses are no wider than what is near the query before, whose neighbours were found
    if (Lists::k_leaves_wide && !may_grow && !nodes_.are_complete()) return Outcome::wide;
    next_ = 0;
    near_ = 0;
#pragma unroll 1
    while (true) {
      const bool is_over = visit();
      if (is_over && may_grow && !list_.is_full() && list_.count() < list_.size()) return Outcome::too_few;
      if (!list_.flush(limit_)) return Outcome::undecided;
      if (is_over) return Outcome::found;
      if (!list_.is_full()) continue;
      limit_ = fmin(limit_, list_.last().sq_dist() + List::k_rounding * limit_);
      bound_ = fminf(bound_, query_.filter_above(limit_));
    }
  }

  /// The number of points within the bound, or as many as the list holds.
  __device__ __forceinline__ int count() const { return list_.count(); }

  /// As LongList::write(). Call after search_within().
  __device__ __forceinline__ bool write(const ResultRows& rows, std::int64_t row, float& radius) const {
    return list_.write(rows, row, radius);
  }

 private:
  /// Visits the boxes that may hold a neighbour. Returns false if the list needs a flush before all have been visited.
  __device__ __forceinline__ bool visit() {
    while (true) {
      const bool is_over = near_ == 0 && next_ >= nodes_.count() && nodes_.is_over();
      if (is_over || bucket_count_ > k_max_buckets - 2 * k_children) {
        while (bucket_count_ > 0) {
          if (list_.needs_flush()) return false;
          scan();
        }
        if (is_over) return true;
      }
      if (near_ != 0) {
        push_buckets();
      } else if (next_ < nodes_.count()) {
        const int i = next_ + warp::lane_id();
        const bool exists = i < nodes_.count();
        near_ =
            __ballot_sync(warp::k_all_lanes, tree_.levels == 1 ? exists : may_hold(1, exists ? nodes_[i] : 0, exists));
        next_ += k_children;
      } else {
        nodes_.find_more();
        next_ = 0;
      }
    }
  }

  /// Appends the buckets of the next two near nodes that may hold a neighbour: a lane loads two boxes at a time.
  __device__ __forceinline__ void push_buckets() {
    const std::uint32_t bucket = next_bucket(), other = near_ != 0 ? next_bucket() : ~std::uint32_t{0};
    const auto count = static_cast<std::uint32_t>(tree_.count[0]);
    const bool is_near = may_hold(0, bucket, bucket < count), other_is_near = may_hold(0, other, other < count);
    push(other, other_is_near);  // those that are pushed last are scanned first
    push(bucket, is_near);
  }

  /// The lane's bucket of the next near node.
  __device__ __forceinline__ std::uint32_t next_bucket() {
    const std::uint32_t node = nodes_[next_ - k_children + __ffs(static_cast<int>(near_)) - 1];
    near_ &= near_ - 1;
    return node * k_children + warp::lane_id();
  }

  /// Whether a node of a level may hold a neighbour. A box at the distance of the last neighbour does so only if it
  /// holds a lower index. All arguments but `level` may differ between lanes.
  __device__ __forceinline__ bool may_hold(int level, std::uint32_t node, bool exists) const {
    if (!exists) return false;
    const NodeBox<Real> box = load_box(tree_.d_boxes + tree_.first[level] + node);
    const Real sq_dist = min_sq_dist<Real>(box, query_.given(), query_.given());
    const bool is_near = sq_dist <= (std::is_same_v<Real, float> ? bound_ : limit_);
    if constexpr (List::k_is_exact)
      if (is_near && list_.is_full()) return query_.min_key(box) < list_.last();
    return is_near;
  }

  /// Appends the buckets of the lanes for which `is_near` is true, the last lane first. Buckets that are appended last
  /// are scanned first, and the first lanes often have points of lower indices, which come first among equally far
  /// points.
  __device__ __forceinline__ void push(std::uint32_t bucket, bool is_near) {
    const unsigned buckets = __ballot_sync(warp::k_all_lanes, is_near), upper = ~1u << warp::lane_id();
    if (is_near) s_.buckets[bucket_count_ + __popc(buckets & upper)] = bucket;
    bucket_count_ += __popc(buckets);
  }

  /// Collects the points of the last eight buckets, or of all if there are fewer: a lane loads two points at a time.
  __device__ __forceinline__ void scan() {
    __syncwarp();  // the buckets are written
    constexpr int half = k_buckets_at_once / 2;
    const int entry = bucket_count_ - 1 - warp::lane_id() / k_bucket_points;
    const std::uint32_t place = place_in(entry), other = place_in(entry - half);
    bucket_count_ = max(bucket_count_ - k_buckets_at_once, 0);
    const float sq_dist = sq_dist_at(place), other_sq_dist = sq_dist_at(other);
    __syncwarp();  // the buckets have been read
    list_.append(place, sq_dist, is_candidate(sq_dist));
    list_.append(other, other_sq_dist, is_candidate(other_sq_dist));
  }

  /// The lane's place in a bucket to scan; the place of no point if there is no such entry.
  __device__ __forceinline__ std::uint32_t place_in(int entry) const {
    return entry < 0 ? ~std::uint32_t{0} : s_.buckets[entry] * k_bucket_points + warp::lane_id() % k_bucket_points;
  }
  /// The float32 squared distance of a point; NaN if there is none, or it is the query itself.
  __device__ __forceinline__ float sq_dist_at(std::uint32_t place) const {
    if (place >= static_cast<std::uint32_t>(tree_.point_count)) return NAN;
    const PlacedPoint p = tree_.d_points[place];
    return query_.is(p.index) ? NAN : query_.sq_dist_to(p);
  }
  __device__ __forceinline__ bool is_candidate(float sq_dist) const { return inner_ < sq_dist && sq_dist <= bound_; }

  const BoxTreeView<Real>& tree_;
  const Query<Real>& query_;
  NearNodes<Real>& nodes_;
  List list_;
  WarpMemory<List, Real>& s_;
  float inner_ = -1;  // float32 squared distances up to this one have been collected
  float bound_ = -1;  // the maximum float32 squared distance of a neighbour
  double limit_ = 0;  // the maximum exact squared distance of a neighbour
  int next_ = 0;      // the next node to test; near_ has a bit for each near one of the 32 before it
  std::uint32_t near_ = 0;
  int bucket_count_ = 0;
};

}  // namespace kann::cuda::exact
