// Boxes over the data in the order of a curve: buckets of 8 points, then nodes of 32 children, up to a level of at most
// 32 nodes.
#pragma once

#include <array>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <type_traits>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/placed_point.hpp"

namespace kann::cuda::exact {

/// Points per bucket. With 4, twice as many boxes are tested; with 16, twice as many points.
inline constexpr int k_bucket_points = 8;
/// Children per node, one per lane.
inline constexpr int k_children = 32;
/// Levels for 2³¹ points: 2²⁸ buckets, then a 32nd per level, down to at most 32.
inline constexpr int k_max_levels = 6;

/// Boxes hold the points as they were given: float if all of them are float32s, otherwise double. In a frame that
/// rounds, boxes would be as coarse as the rounding.
template <class Real>
using Point = std::conditional_t<std::is_same_v<Real, float>, PlacedPoint, GivenPoint>;

/// The box of some points, the minimum of their indices and, if the coordinates were given as float32s, the least
/// last_bit() of these. If two points are at the same distance, the one of lower index is the nearer neighbour, so a
/// box at the distance of the last neighbour matters only if it holds a lower index. Boxes are read in loads of 16
/// bytes. Integers are as wide as Real, so that no byte is padding, which would be copied without having been written.
template <class Real>
struct alignas(8 * sizeof(Real)) NodeBox {
  template <class Float32, class Float64>
  using As = std::conditional_t<std::is_same_v<Real, float>, Float32, Float64>;

  Real lo[3];
  As<std::uint32_t, std::uint64_t> min_index;
  Real hi[3];
  As<std::int32_t, std::int64_t> last_bit;  ///< k_no_last_bit if Real is double
};

/// The boxes of a tree, level after level; level 0 are the buckets. Node i of a level covers children 32·i … of the
/// level below. The highest level has at most 32 nodes.
template <class Real>
struct BoxTreeView {
  const NodeBox<Real>* d_boxes;
  std::int64_t first[k_max_levels];  ///< where a level begins in d_boxes
  std::int64_t count[k_max_levels];  ///< the number of nodes of a level
  int levels;                        ///< 0 when there are no points
  const PlacedPoint* d_points;       ///< in the frame
  const Point<Real>* d_given;        ///< as they were given
  std::int64_t point_count;
};

template <class Real>
class BoxTree {
 public:
  /// Allocates 4.1 bytes per point, 8.3 if Real is double, and queues the construction. Both arrays have the same order
  /// and must outlive the tree; if Real is float, they are one.
  BoxTree(Pool& pool, const PlacedPoint* d_points, const Point<Real>* d_given, std::int64_t count);

  const BoxTreeView<Real>& view() const { return view_; }

 private:
  BoxTreeView<Real> view_{};
  Buffer<NodeBox<Real>> boxes_;
};

}  // namespace kann::cuda::exact
