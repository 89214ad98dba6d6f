// Which points are core points of DBSCAN: those with enough neighbours.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

#include "cpu/clusters/point_tree.hpp"
#include "cpu/clusters/within_filter.hpp"

namespace kann::cpu {

/// Counts the points within a radius of each point of a tree, but no farther than to the number that makes it a core
/// point. What is dense costs little (as in Gunawan 2013): where the box of a node is no wider than the radius and has
/// enough points, all of them are core points; and a node all of which is within the radius of a point is one addition.
template <class T>
class CorePoints {
 public:
  /// Blocks. The arguments must outlive this object.
  CorePoints(const PointTree<T>& points, const problem::ClusterRule& rule);

  /// Bytes per point of the tree.
  static constexpr double k_bytes_per_point = sizeof(std::int64_t);

  /// Counts the points of another tree, too. Blocks.
  void add(const PointTree<T>& others);

  /// Calls f(point) for each point that is one.
  template <class F>
  void for_each(F f) const {
    const auto all = points_.points(1);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (counts_[i] >= enough_) f(all[i]);
  }

 private:
  using Box = typename PointTree<T>::Box;
  using Point = typename PointTree<T>::Point;

  bool is_crowded(std::uint32_t leaf) const;
  void count_leaf(std::uint32_t leaf, const PointTree<T>& others);
  void count_point(std::size_t place, const PointTree<T>& others, std::uint32_t node);

  const PointTree<T>& points_;
  const problem::ClusterRule& rule_;
  const WithinFilter within_;
  const std::int64_t enough_;
  Array<std::int64_t> counts_;  // in the order of the tree; not all of those that reach enough_
};

}  // namespace kann::cpu
