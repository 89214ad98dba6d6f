// A balanced k-d tree of points with the box of every node, for searches within a radius at any density, and the loops
// over it, which the caller can end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <thread>

#include "kann/array.hpp"

#include "base/threads/parallel.hpp"
#include "geometry/point_tree.hpp"
#include "problem/cluster_device.hpp"

namespace kann::cpu {

/// As base::parallel_chunks(), with the threads of the rule, whose check is called after each chunk of the caller's
/// thread. A chunk should take milliseconds. @throws what f and the check throw.
template <class F>
void checked_chunks(std::int64_t n, std::int64_t grain, const problem::ClusterRule& rule, F&& f) {
  const std::thread::id caller = std::this_thread::get_id();
  base::parallel_chunks(n, grain, rule.threads, [&](std::int64_t begin, std::int64_t end) {
    f(begin, end);
    if (rule.check && std::this_thread::get_id() == caller) rule.check();
  });
}

/// Leaves have up to k_leaf points.
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

  /// Sorts copies of the points. Blocks. Their numbers must outlive the tree.
  PointTree(const problem::ChosenPoints& chosen, const problem::ClusterRule& rule);
  PointTree(const PointTree&) = delete;
  PointTree& operator=(const PointTree&) = delete;

  /// Bytes of a tree per point, at most: the point, and a quarter of a node.
  static constexpr double k_bytes_per_point = sizeof(Point) + 0.25 * sizeof(Box);

  std::int64_t size() const { return nodes_.size; }
  std::uint32_t first_leaf() const { return nodes_.first_leaf(); }
  bool is_leaf(std::uint32_t node) const { return nodes_.is_leaf(node); }
  const Box& box(std::uint32_t node) const { return boxes_[node]; }
  std::span<const Point> points(std::uint32_t node) const {
    return {points_.data() + nodes_.begin(node), points_.data() + nodes_.end(node)};
  }
  std::int64_t number(const Point& point) const { return cloud_.number(point.row); }

 private:
  void build(std::uint32_t node, int depth, int own_depth);

  const problem::ClusteredPoints cloud_;
  const geometry::HeapNodes nodes_;
  Array<Point> points_;
  Array<Box> boxes_;  // by node; the first is unused
};

}  // namespace kann::cpu
