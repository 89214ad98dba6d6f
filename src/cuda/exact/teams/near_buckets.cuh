// The points that may be within a bound of the queries of a warp: those of some buckets, numbered one bucket after
// another, so that the lanes can read them 32 at a time.
#pragma once

#include <cstdint>

#include "cuda/exact/query.cuh"
#include "cuda/exact/teams/box_traversal.cuh"
#include "cuda/exact/teams/team_size.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// All 32 lanes of a warp call every function. @param places what all of the queries see
template <class Real, class Places>
class NearBuckets {
 public:
  static constexpr int k_max_buckets = k_max_team_points / k_bucket_points;
  struct Memory {
    BoxTraversalMemory<Real> traversal;
    std::uint32_t buckets[k_max_buckets];
  };

  /// Finds the buckets.
  /// @param limit the maximum squared distance from the lane's query to a point of interest; less than 0: there is none
  __device__ __forceinline__ NearBuckets(const BoxTreeView<Real>& tree, const Query<Real>& query, Real limit,
                                         const Places& places, Memory& s_memory)
      : s_(s_memory), point_count_(static_cast<std::uint32_t>(tree.point_count)), places_(places) {
    const Real most = warp::reduce_max(limit);
    if (most < 0) return;
    BoxTraversal<Real, Places> traversal(tree, query, s_memory.traversal, places);
    const auto may_enter = [&](const NodeBox<Real>& box) {
      return __any_sync(warp::k_all_lanes, min_sq_dist<Real>(box, query.given(), query.given()) <= limit);
    };
    traversal.begin(most);
    std::uint32_t first = 0;
    while (traversal.next(most, may_enter, first)) {
      const bool is_near = traversal.sq_dist_to_child(0, first) <= most;
      const unsigned near = __ballot_sync(warp::k_all_lanes, is_near), lower = (1u << warp::lane_id()) - 1;
      are_all_ = count_ + __popc(near) <= k_max_buckets;
      if (!are_all_) break;
      if (is_near) s_.buckets[count_ + __popc(near & lower)] = first + warp::lane_id();
      count_ += __popc(near);
    }
    __syncwarp();  // the buckets are written
  }

  /// Whether the points are all points of interest: whether they are at most k_max_team_points.
  __device__ __forceinline__ bool are_all() const { return are_all_; }
  /// The number of points, with those that the last bucket of all may lack, and those that are not seen.
  __device__ __forceinline__ std::uint32_t count() const { return count_ * k_bucket_points; }

  /// No point.
  static constexpr std::uint32_t k_none = 0xffffffffu;

  /// As CellRows::next_place().
  __device__ __forceinline__ std::uint32_t next_place() {
    const std::uint32_t number = first_ + warp::k_lanes - 1 - warp::lane_id();
    first_ += warp::k_lanes;
    const std::uint32_t place = number < count() ? place_of(number) : k_none;
    return place < point_count_ && places_.has(place) ? place : k_none;
  }

  /// The place of a point by its number, which is less than count(). May be called by some of the lanes.
  __device__ __forceinline__ std::uint32_t place_of(std::uint32_t number) const {
    return s_.buckets[number / k_bucket_points] * k_bucket_points + number % k_bucket_points;
  }

 private:
  Memory& s_;
  std::uint32_t point_count_;
  const Places places_;
  bool are_all_ = true;
  std::uint32_t count_ = 0;  // of buckets
  std::uint32_t first_ = 0;  // the number of the first point of the next batch
};

}  // namespace kann::cuda::exact
