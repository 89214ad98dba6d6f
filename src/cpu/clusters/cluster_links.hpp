// Unites core points within a radius of each other, and gives other points their nearest core point.
#pragma once

#include <cstdint>
#include <span>

#include "kann/array.hpp"

#include "cpu/clusters/point_tree.hpp"
#include "cpu/clusters/within_filter.hpp"
#include "problem/disjoint_sets.hpp"

namespace kann::cpu {

/// Unites the core points of a tree with each other, and then with those of other trees. A pair within the radius is
/// looked for only between sets that are not yet one (de Berg et al. 2017; Wang, Gu and Shun 2020): the points of a box
/// that is no wider than the radius are one set from the start, and two such boxes need one pair. So a cloud of n
/// identical points takes n steps, not n².
template <class T>
class ClusterLinks {
 public:
  /// Unites the points of `cores`. Blocks. The arguments must outlive this object.
  /// @param sets of the numbers of the points
  ClusterLinks(const PointTree<T>& cores, const problem::ClusterRule& rule, problem::DisjointSets& sets);

  /// Bytes per point of the tree.
  static constexpr double k_bytes_per_point = 0.25;

  /// Unites them with the core points of another tree. Blocks.
  void add(const PointTree<T>& others);

 private:
  using Point = typename PointTree<T>::Point;
  using Flags = Array<std::uint8_t>;  ///< per node of a tree, whether its box is no wider than the radius

  /// A tree with its narrow nodes, each of which is one set.
  struct Side {
    const PointTree<T>& tree;
    Flags is_narrow;
    std::int64_t any(std::uint32_t node) const { return tree.number(tree.points(node).front()); }
  };

  Side unite_narrow(const PointTree<T>& tree) const;
  void link(const Side& others, bool are_own);
  void link_leaf(std::uint32_t leaf, const Side& others, std::uint32_t node, bool are_own);
  void link_point(const Point& point, std::int64_t number, const Side& others, std::uint32_t node);

  const problem::ClusterRule& rule_;
  const WithinFilter within_;
  problem::DisjointSets& sets_;
  const Side own_;
};

/// The nearest core point of a point that is none.
struct NearestCore {
  double sq_dist;
  std::int64_t number = -1;  ///< −1: there is none within the radius
};

/// Replaces what was found for points by the nearest core point of a tree, or one of the same distance with a smaller
/// number. Blocks.
/// @param found by the places of the points in their tree
template <class T>
void find_nearest_cores(const PointTree<T>& points, const PointTree<T>& cores, const problem::ClusterRule& rule,
                        std::span<NearestCore> found);

}  // namespace kann::cpu
