// Points along the Hilbert curve, in a balanced tree with the box of every node.
#pragma once

#include <cstdint>

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/search_context.hpp"
#include "geometry/point_tree.hpp"
#include "geometry/within_radius.hpp"
#include "problem/cluster_device.hpp"

namespace kann::cuda::clusters {

/// The coordinates of a point as they were given, and its place in its cloud. In 2-D the third coordinate is 0.
template <class T>
struct alignas(4 * sizeof(T)) TreePoint {
  T at[3];
  std::uint32_t row;
};

/// The box of a node. Numbers are as wide as T, so that no byte is padding, which would be copied without having been
/// written.
template <class T>
struct alignas(4 * sizeof(T)) TreeNode {
  T lo[3];
  T is_narrow;  ///< 0, or 1: the box is no wider than the radius, so that all its points are within it of each other
  T hi[3];
  T unused;
};

template <class T>
struct PointTreeView : HeapNodes {
  const TreePoint<T>* d_points;
  const TreeNode<T>* d_nodes;  ///< the first is unused

  KANN_HOST_DEVICE bool is_narrow(std::uint32_t node) const { return d_nodes[node].is_narrow != 0; }
};

/// @tparam T float or double: a type that holds the coordinates
template <class T>
class PointTree {
 public:
  /// Points per leaf, at most.
  static constexpr std::int64_t k_leaf = 8;

  /// Orders copies of the points, and queues the rest. Timed. Blocks until the order is complete.
  PointTree(SearchContext& context, const problem::ChosenPoints& chosen, const WithinRadius& within);

  std::int64_t size() const { return view_.size; }
  const PointTreeView<T>& view() const { return view_; }
  const problem::ClusteredPoints& cloud() const { return cloud_; }

 private:
  problem::ClusteredPoints cloud_;
  PointTreeView<T> view_;
  Buffer<TreePoint<T>> points_;
  Buffer<TreeNode<T>> nodes_;
};

}  // namespace kann::cuda::clusters
