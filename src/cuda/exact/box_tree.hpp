// Boxes over the data in the order of the Hilbert curve: buckets of 8 points, then nodes of 32 children, up to a level
// of at most 32 nodes.
#pragma once

#include <array>
#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/placed_point.hpp"

namespace kann::cuda::exact {

/// Points per bucket. With 4, twice as many boxes are tested; with 16, twice as many points.
inline constexpr int k_bucket_points = 8;
/// Children per node, one per lane.
inline constexpr int k_children = 32;
/// Levels for 2³¹ points: 2²⁸ buckets, then a 32nd per level, down to at most 32.
inline constexpr int k_max_levels = 6;

/// The box of some points, and the minimum of their indices. Of two points at the same distance the one of lower index
/// is the nearer neighbour, so a box at the distance of the last neighbour matters only if it holds a lower index. Read
/// in two loads of 16 bytes.
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
  /// Allocates 4.1 bytes per point and queues the construction over d_points, which must outlive the tree.
  BoxTree(Pool& pool, const PlacedPoint* d_points, std::int64_t count);

  const BoxTreeView& view() const { return view_; }

 private:
  BoxTreeView view_{};
  Buffer<NodeBox> boxes_;
};

}  // namespace kann::cuda::exact
