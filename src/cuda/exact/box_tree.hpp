// Boxes over the data in Morton order: buckets of 8 points, then nodes of 32 children, up to one row of at most 32.
#pragma once

#include <array>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/placed_point.hpp"

namespace kann::cuda::exact {

/// Points of a bucket. Of 4, twice as many boxes are tested; of 16, twice as many points.
inline constexpr int k_bucket_points = 8;
/// Children of a node, one a lane.
inline constexpr int k_children = 32;
/// Levels of 2³¹ points: 2²⁸ buckets, then fewer by 32 until 32 are left.
inline constexpr int k_max_levels = 6;

/// The box of some points, and the lowest of their indices: of two points equally far the one of lower index wins, so
/// that a box at the distance of the worst neighbour matters only if it holds a lower index. Read as two 16-byte words.
struct alignas(32) NodeBox {
  float lo[3];
  std::uint32_t min_index;
  float hi[3];
  std::uint32_t unused;
};

/// The boxes of a tree, level after level; level 0 are the buckets. Node i of a level covers children 32·i … of the
/// level below. The highest level has at most 32 nodes.
struct BoxTreeView {
  const NodeBox* d_boxes;
  std::int64_t first[k_max_levels];  ///< of a level in d_boxes
  std::int64_t count[k_max_levels];  ///< nodes of a level
  int levels;                        ///< 0 when there are no points
  const PlacedPoint* d_points;
  std::int64_t point_count;
};

class BoxTree {
 public:
  /// Takes memory (4.1 bytes a point) and queues the building over d_points, which must outlive the tree.
  BoxTree(Pool& pool, const PlacedPoint* d_points, std::int64_t count);

  const BoxTreeView& view() const { return view_; }

 private:
  BoxTreeView view_{};
  Buffer<NodeBox> boxes_;
};

}  // namespace kann::cuda::exact
