// A balanced k-d tree of points with the box of every node, for searches within a radius at any density.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "cpu/clusters/within_filter.hpp"

namespace kann::cpu {

/// Nodes are numbered as in a heap: the root is 1, the children of node i are 2i and 2i + 1. All leaves are of one
/// depth; each has up to k_leaf points.
/// @tparam T float or double: a type that holds the coordinates
template <class T>
class PointTree {
 public:
  static constexpr std::int64_t k_leaf = 16;

  struct Point {
    std::array<T, 3> at;  ///< the third coordinate is 0 in 2-D
    std::uint32_t row;    ///< its place in the cloud
  };
  struct Box {
    std::array<T, 3> lo, hi;
  };

  /// Sorts copies of the points in `rows` of a cloud, all of which are finite. Blocks.
  /// @param numbers of the points of the cloud, which must outlive the tree; empty: they are their places
  PointTree(const PointsView& cloud, std::span<const std::int64_t> numbers, std::span<const std::uint32_t> rows,
            int threads);
  PointTree(const PointTree&) = delete;
  PointTree& operator=(const PointTree&) = delete;

  /// Bytes of a tree per point, at most: the point, and a quarter of a node.
  static constexpr double k_bytes_per_point = sizeof(Point) + 0.25 * sizeof(Box);

  std::int64_t size() const { return std::ssize(points_); }
  std::uint32_t first_leaf() const { return std::uint32_t{1} << depth_; }
  bool is_leaf(std::uint32_t node) const { return node >= first_leaf(); }
  const Box& box(std::uint32_t node) const { return boxes_[node]; }
  std::span<const Point> points(std::uint32_t node) const {
    const std::int64_t first = begin(node);
    return {points_.data() + first, points_.data() + begin(node + 1, depth_of(node))};
  }
  std::int64_t number(const Point& point) const { return numbers_.empty() ? point.row : numbers_[point.row]; }

 private:
  static int depth_of(std::uint32_t node) { return std::bit_width(node) - 1; }
  std::int64_t begin(std::uint32_t node) const { return begin(node, depth_of(node)); }
  std::int64_t begin(std::uint32_t node, int depth) const {
    return size() * static_cast<std::int64_t>(node - (std::uint32_t{1} << depth)) >> depth;
  }
  void build(std::uint32_t node, int depth);

  std::span<const std::int64_t> numbers_;
  Array<Point> points_;
  Array<Box> boxes_;  // by node; the first is unused
  int depth_ = 0;     // of the leaves
};

/// The distance between two boxes along each axis; 0 where they overlap.
template <class Box>
WithinFilter::Difference gaps(const Box& a, const Box& b) {
  WithinFilter::Difference gap;
  for (int x = 0; x < 3; ++x)
    gap[x] = std::max({0.0, static_cast<double>(b.lo[x]) - static_cast<double>(a.hi[x]),
                       static_cast<double>(a.lo[x]) - static_cast<double>(b.hi[x])});
  return gap;
}

/// The farthest distance between points of two boxes along each axis.
template <class Box>
WithinFilter::Difference spans(const Box& a, const Box& b) {
  WithinFilter::Difference span;
  for (int x = 0; x < 3; ++x)
    span[x] = std::max(static_cast<double>(b.hi[x]) - static_cast<double>(a.lo[x]),
                       static_cast<double>(a.hi[x]) - static_cast<double>(b.lo[x]));
  return span;
}

template <class Point>
WithinFilter::Difference difference(const Point& a, const Point& b) {
  WithinFilter::Difference out;
  for (int x = 0; x < 3; ++x) out[x] = static_cast<double>(a.at[x]) - static_cast<double>(b.at[x]);
  return out;
}

}  // namespace kann::cpu
