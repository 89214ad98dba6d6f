// Visits the boxes of a tree near the box of a warp's queries, from the top down: the 32 children of a node are tested
// at once, one per lane.
#pragma once

#include <cstdint>

#include "cuda/exact/bound.cuh"
#include "cuda/exact/box_tree.hpp"
#include "cuda/exact/query.cuh"
#include "cuda/exact/seen_places.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"
#include "cuda/warp/reduce.cuh"

namespace kann::cuda::exact {

/// What BoxTraversal keeps in the shared memory of a warp.
template <class Real>
struct BoxTraversalMemory {
  unsigned children[k_max_levels];  // still to visit, of the current node of each level
  std::uint32_t first_child[k_max_levels];
  Real lo[3], hi[3];  // the box of the warp's queries; in six more registers, it would leave fewer warps
};

/// The position of the highest bit that is set; −1 if none is. 0b0110: 2.
__device__ __forceinline__ int highest(unsigned bits) { return warp::k_lanes - 1 - __clz(static_cast<int>(bits)); }

/// Called by all 32 lanes of a warp, each for its own query. @param places all that any of the queries sees
template <class Real, class Places = AllPlaces>
class BoxTraversal {
 public:
  __device__ __forceinline__ BoxTraversal(const BoxTreeView<Real>& tree, const Query<Real>& query,
                                          BoxTraversalMemory<Real>& s_memory, const Places& places = {})
      : tree_(tree), s_(s_memory), places_(places) {
#pragma unroll
    for (int a = 0; a < 3; ++a) {
      const Real lo = warp::reduce_min(query.given()[a]), hi = warp::reduce_max(query.given()[a]);
      if (warp::lane_id() > 0) continue;
      s_.lo[a] = lo;
      s_.hi[a] = hi;
    }
    __syncwarp();  // the box is written
  }

  /// Begins at the top. `limit`: the maximum squared distance from the warp's box to a box of interest.
  __device__ __forceinline__ void begin(Real limit) {
    level_ = max(tree_.levels - 1, 0);
    if (level_ > 0) open(0, limit);
  }

  /// Finds the next parent of 32 buckets that is within `limit`, and for which, as for the nodes above it,
  /// may_enter(box) is true. `first` becomes the first of these buckets. Returns false if there are no more. The limit
  /// may fall from call to call.
  template <class MayEnter>
  __device__ __forceinline__ bool next(Real limit, MayEnter may_enter, std::uint32_t& first) {
    if (level_ == 0) {  // there are no other buckets
      level_ = max(tree_.levels, 1);
      first = 0;
      return true;
    }
    while (level_ < tree_.levels) {
      const unsigned children = s_.children[level_];
      if (children == 0) {
        ++level_;
        continue;
      }
      const std::uint32_t node = s_.first_child[level_] + __ffs(static_cast<int>(children)) - 1;
      __syncwarp();  // all have read the children
      if (warp::lane_id() == 0) s_.children[level_] = children & (children - 1);
      __syncwarp();
      if (!may_enter(load_box(boxes_of(level_) + node))) continue;
      if (level_ == 1) {
        first = node * k_children;
        return true;
      }
      --level_;
      open(node * k_children, limit);
    }
    return false;
  }

  /// The minimum squared distance from the warp's box to node `first` + lane_id() of a level; NaN if there is no such
  /// node, or no query sees any of it.
  __device__ __forceinline__ Real sq_dist_to_child(int level, std::uint32_t first) const {
    const std::uint32_t child = first + warp::lane_id();
    if (child >= static_cast<std::uint32_t>(tree_.count[level]) || !places_.has_some_of(level, child)) return NAN;
    return min_sq_dist<Real>(load_box(boxes_of(level) + child), s_.lo, s_.hi);
  }

 private:
  __device__ __forceinline__ const NodeBox<Real>* boxes_of(int level) const {
    return tree_.d_boxes + tree_.first[level];
  }

  /// Sets the nodes to visit on the current level: those of the 32 nodes from `first` on that may hold a neighbour.
  __device__ __forceinline__ void open(std::uint32_t first, Real limit) {
    const unsigned children = __ballot_sync(warp::k_all_lanes, sq_dist_to_child(level_, first) <= limit);
    if (warp::lane_id() == 0) {
      s_.children[level_] = children;
      s_.first_child[level_] = first;
    }
    __syncwarp();
  }

  const BoxTreeView<Real>& tree_;
  BoxTraversalMemory<Real>& s_;
  const Places places_;
  int level_ = 0;  // the level of the current nodes; 0 if there are only buckets
};

}  // namespace kann::cuda::exact
