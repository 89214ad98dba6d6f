// A balanced tree over points in some order, and how far its boxes are apart.
#pragma once

#include <bit>
#include <cstdint>

#include "geometry/host_device.hpp"

namespace kann::geometry {

/// The nodes of a tree whose leaves are of one depth and have equal numbers of points, give or take one. They are
/// numbered as in a heap: the root is 1, the children of node i are 2i and 2i + 1. A node has consecutive points.
/// Example: 5 points in leaves of up to 2: depth 2, nodes 4 to 7 are leaves of 1, 1, 1 and 2 points.
struct HeapNodes {
  std::int64_t size = 0;  ///< points
  int depth = 0;          ///< of the leaves

  HeapNodes() = default;
  HeapNodes(std::int64_t points, std::int64_t most_in_leaf) : size(points) {
    while (size > most_in_leaf << depth) ++depth;
  }

  KANN_HOST_DEVICE std::uint32_t first_leaf() const { return std::uint32_t{1} << depth; }
  KANN_HOST_DEVICE bool is_leaf(std::uint32_t node) const { return node >= first_leaf(); }
  KANN_HOST_DEVICE std::int64_t begin(std::uint32_t node) const { return begin_at(node, depth_of(node)); }
  KANN_HOST_DEVICE std::int64_t end(std::uint32_t node) const { return begin_at(node + 1, depth_of(node)); }

  /// The leaf that has a point.
  KANN_HOST_DEVICE std::uint32_t leaf_of(std::int64_t point) const {
    return first_leaf() + static_cast<std::uint32_t>((((point + 1) << depth) - 1) / size);
  }

  /// The node that follows a node and all below it, from left to right; the root after the last one. Example: 5 → 3.
  KANN_HOST_DEVICE static std::uint32_t node_after(std::uint32_t node) {
    for (++node; node % 2 == 0;) node /= 2;
    return node;
  }

 private:
  KANN_HOST_DEVICE static int depth_of(std::uint32_t node) {
#ifdef __CUDA_ARCH__
    return 31 - __clz(static_cast<int>(node));
#else
    return std::bit_width(node) - 1;
#endif
  }
  KANN_HOST_DEVICE std::int64_t begin_at(std::uint32_t node, int its_depth) const {
    return size * static_cast<std::int64_t>(node - (std::uint32_t{1} << its_depth)) >> its_depth;
  }
};

/// A distance along each axis.
struct Difference {
  double axis[3];

  KANN_HOST_DEVICE double& operator[](int x) { return axis[x]; }
  KANN_HOST_DEVICE double operator[](int x) const { return axis[x]; }
};

/// The distance between two boxes along each axis; 0 where they overlap.
template <class A, class B>
KANN_HOST_DEVICE Difference gaps(const A& a, const B& b) {
  Difference gap;
  for (int x = 0; x < 3; ++x) {
    const double above = static_cast<double>(b.lo[x]) - static_cast<double>(a.hi[x]);
    const double below = static_cast<double>(a.lo[x]) - static_cast<double>(b.hi[x]);
    const double farther = above > below ? above : below;
    gap[x] = farther > 0 ? farther : 0;
  }
  return gap;
}

/// The farthest distance between points of two boxes along each axis.
template <class A, class B>
KANN_HOST_DEVICE Difference spans(const A& a, const B& b) {
  Difference span;
  for (int x = 0; x < 3; ++x) {
    const double upward = static_cast<double>(b.hi[x]) - static_cast<double>(a.lo[x]);
    const double downward = static_cast<double>(a.hi[x]) - static_cast<double>(b.lo[x]);
    span[x] = upward > downward ? upward : downward;
  }
  return span;
}

template <class Point>
KANN_HOST_DEVICE Difference difference(const Point& a, const Point& b) {
  Difference out;
  for (int x = 0; x < 3; ++x) out[x] = static_cast<double>(a.at[x]) - static_cast<double>(b.at[x]);
  return out;
}

}  // namespace kann::geometry
