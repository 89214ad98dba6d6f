// Finds the nodes of 256 points near a place, once for several queries that follow each other: a warp finds those
// within a distance of one query, and looks through them for the next queries too, as long as these are near enough.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/exact/bound.cuh"
#include "cuda/exact/box_tree.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/warp/lane.cuh"

namespace kann::cuda::exact {

/// What NearNodes keeps in the shared memory of a warp.
template <class Real>
struct NearNodesMemory {
  static constexpr int k_capacity = 3 * k_children;
  std::uint32_t nodes[k_capacity];                            // nodes of the level above the buckets
  Real centre[3];                                             // the place that they are near …
  Real sq_reach;                                              // … and how near, squared
  std::uint32_t children[k_max_levels], first[k_max_levels];  // the values of children_ and first_ on the levels above
};

/// All 32 lanes of a warp call every function, with the same arguments, and agree in all members.
template <class Real>
class NearNodes {
 public:
  __device__ __forceinline__ NearNodes(const BoxTreeView<Real>& tree, NearNodesMemory<Real>& s_memory)
      : tree_(tree), s_(s_memory) {}

  /// Whether the nodes are all those within `reach` of `place`, and perhaps others.
  __device__ __forceinline__ bool hold(const Real (&place)[3], float reach) const {
    if (!is_complete_) return false;
    const float spare = reach_ - reach, sq_dist = sq_distance_3d(static_cast<float>(place[0] - s_.centre[0]),
                                                                 static_cast<float>(place[1] - s_.centre[1]),
                                                                 static_cast<float>(place[2] - s_.centre[2]));
    return spare > 0x1p-60f && spare < 0x1p60f && sq_dist <= spare * spare * (1 - 0x1p-20f);  // false for 0, infinity
  }

  /// Finds the nodes within `reach` of `place`, or the first of them if not all fit.
  __device__ __forceinline__ void find(const Real (&place)[3], float reach) {
    // The square of a tiny reach may be 0, which would hold fewer nodes
    const Real sq_reach = reach < 0x1p-60f ? static_cast<Real>(0x1p-120)
                                           : static_cast<Real>(reach) * reach * static_cast<Real>(1 + 0x1p-18);
    __syncwarp();  // what was here has been read
    if (warp::lane_id() == 0) {
#pragma unroll
      for (int a = 0; a < 3; ++a) s_.centre[a] = place[a];
      s_.sq_reach = sq_reach;
    }
    reach_ = reach;
    __syncwarp();           // the place is written
    level_ = tree_.levels;  // above the tree is one node that holds all
    first_ = 0;
    children_ = level_ > 0;
    find_more();
    is_complete_ = is_over();
  }

  /// Replaces the nodes by the next ones. Call only if is_over() is false.
  __device__ __forceinline__ void find_more() {
    __syncwarp();  // the nodes have been read
    count_ = 0;
    is_complete_ = false;
    while (children_ != 0 && count_ <= NearNodesMemory<Real>::k_capacity - k_children) {
      if (level_ == 1) {  // a tree of buckets alone: the node above it is the only one
        append(0, 1);
        children_ = 0;
      } else {
        descend();
      }
      while (children_ == 0 && level_ + 1 < tree_.levels) {
        ++level_;
        children_ = s_.children[level_];
        first_ = s_.first[level_];
      }
    }
    __syncwarp();  // the nodes are written
  }

  /// Whether the nodes are all those within the reach of the last find().
  __device__ __forceinline__ bool are_complete() const { return is_complete_; }
  /// Whether no more are left to find.
  __device__ __forceinline__ bool is_over() const { return children_ == 0; }
  __device__ __forceinline__ int count() const { return count_; }
  /// Node i < count(), which may differ between lanes.
  __device__ __forceinline__ std::uint32_t operator[](int i) const { return s_.nodes[i]; }

 private:
  /// Goes down into the next node to visit; appends its near children if they are of the level above the buckets.
  __device__ __forceinline__ void descend() {
    const std::uint32_t first = (first_ + __ffs(static_cast<int>(children_)) - 1) * k_children;
    const std::uint32_t child = first + warp::lane_id();
    children_ &= children_ - 1;
    bool is_near = false;
    if (child < static_cast<std::uint32_t>(tree_.count[level_ - 1]))
      is_near = min_sq_dist<Real>(load_box(tree_.d_boxes + tree_.first[level_ - 1] + child), s_.centre, s_.centre) <=
                s_.sq_reach;
    const std::uint32_t children = __ballot_sync(warp::k_all_lanes, is_near);
    if (level_ == 2) {
      append(first, children);
      return;
    }
    if (level_ < tree_.levels) {
      __syncwarp();  // all have read what was here
      if (warp::lane_id() == 0) {
        s_.children[level_] = children_;
        s_.first[level_] = first_;
      }
      __syncwarp();
    }
    --level_;
    first_ = first;
    children_ = children;
  }

  /// Appends those of the 32 nodes from `first` on for which `nodes` has a bit.
  __device__ __forceinline__ void append(std::uint32_t first, std::uint32_t nodes) {
    const int lane = warp::lane_id();
    if (nodes >> lane & 1) s_.nodes[count_ + __popc(nodes & ((1u << lane) - 1))] = first + lane;
    count_ += __popc(nodes);
  }

  const BoxTreeView<Real>& tree_;
  NearNodesMemory<Real>& s_;
  float reach_ = -1;
  int level_ = 0;  // the level of the 32 nodes from first_ on; children_ has a bit for each that is still to visit
  std::uint32_t children_ = 0, first_ = 0;
  int count_ = 0;
  bool is_complete_ = false;  // whether the nodes are all those within the reach
};

}  // namespace kann::cuda::exact
