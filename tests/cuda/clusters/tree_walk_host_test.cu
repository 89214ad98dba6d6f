// The walks of the clusters of a GPU, on the host: what they count and unite is what the definition says.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

#include "brute_clusters.hpp"
#include "clouds.hpp"
#include "cuda/clusters/tree_walk.cuh"
#include "part.hpp"

namespace kann::test {
namespace {

using namespace cuda::clusters;

/// A tree in memory of the host, of some of the points in any order.
template <class T>
class HostTree {
 public:
  HostTree(const Points& cloud, const std::vector<std::int64_t>& rows, const geometry::WithinRadius& within) {
    for (const std::int64_t row : rows) {
      TreePoint<T>& point = points_.emplace_back(TreePoint<T>{{}, static_cast<std::uint32_t>(row)});
      for (int a = 0; a < cloud.dimensions; ++a) point.at[a] = static_cast<T>(cloud.at(row, a));
    }
    const geometry::HeapNodes heap(std::ssize(rows), PointTree<T>::k_leaf);
    nodes_.resize(std::size_t{2} << heap.depth);
    view_ = {heap, points_.data(), nodes_.data()};
    if (rows.empty()) return;
    for (std::uint32_t node = 2 * heap.first_leaf() - 1; node > 0; --node)
      nodes_[node] = made_node(view_, node, within);
  }
  HostTree(const HostTree&) = delete;

  const PointTreeView<T>& view() const { return view_; }

 private:
  std::vector<TreePoint<T>> points_;
  std::vector<TreeNode<T>> nodes_;
  PointTreeView<T> view_;
};

TEST(HeapNodes, HaveAllPointsOnce) {
  for (std::int64_t n = 1; n < 300; ++n) {
    const geometry::HeapNodes nodes(n, 8);
    std::int64_t before = 0;
    for (std::uint32_t leaf = nodes.first_leaf(); leaf < 2 * nodes.first_leaf(); ++leaf) {
      EXPECT_EQ(nodes.begin(leaf), before);
      before = nodes.end(leaf);
      EXPECT_LE(before - nodes.begin(leaf), 8);
      for (std::int64_t i = nodes.begin(leaf); i < before; ++i) EXPECT_EQ(nodes.leaf_of(i), leaf) << n << ' ' << i;
    }
    EXPECT_EQ(before, n);
    for (std::uint32_t node = 1; node < nodes.first_leaf(); ++node) {
      EXPECT_EQ(nodes.begin(node), nodes.begin(2 * node));
      EXPECT_EQ(nodes.end(node), nodes.end(2 * node + 1));
    }
  }
  EXPECT_EQ(geometry::HeapNodes::node_after(5), 3u);
  EXPECT_EQ(geometry::HeapNodes::node_after(4), 5u);
  EXPECT_EQ(geometry::HeapNodes::node_after(7), 1u);
  EXPECT_EQ(geometry::HeapNodes::node_after(1), 1u);
}

/// The labels of points, which are searched as a tile and one around it.
template <class T>
ClusterLabels labels_by_walks(const Points& cloud, double radius, std::int64_t min_points) {
  const geometry::WithinRadius within(radius);
  const std::int64_t n = cloud.size();
  std::vector<std::int64_t> of_tile[2];
  for (std::int64_t i = 0; i < n; ++i) of_tile[i % 3 == 0].push_back(i);
  std::vector<std::int64_t> cores[2], others;
  for (const int tile : {0, 1}) {
    const HostTree<T> own(cloud, of_tile[tile], within), around(cloud, of_tile[1 - tile], within);
    for (std::int64_t i = 0; i < own.view().size; ++i) {
      const TreePoint<T>& point = own.view().d_points[i];
      std::int64_t count = count_within(own.view(), point, within, 0, min_points);
      if (around.view().size > 0 && count < min_points)
        count = count_within(around.view(), point, within, count, min_points);
      (count >= min_points ? cores[tile] : others).push_back(point.row);
    }
  }

  const HostTree<T> first(cloud, cores[0], within), second(cloud, cores[1], within), none(cloud, others, within);
  const Side<T> sides[] = {{first.view(), 0}, {second.view(), static_cast<std::uint32_t>(first.view().size)}};
  std::vector<std::uint32_t> parents(cores[0].size() + cores[1].size());
  Forest forest{parents.data()};
  for (const Side<T>& side : sides)
    for (std::int64_t i = 0; i < side.tree.size; ++i) parents[side.number(i)] = side.first_parent(i);
  for (const Side<T>& side : sides)
    for (std::int64_t i = 0; i < side.tree.size; ++i) link_within(side, i, within, forest);
  for (std::int64_t i = 0; first.view().size > 0 && i < sides[1].tree.size; ++i)
    link_from(1, second.view().d_points[i], sides[1].number(i), sides[0], within, forest);

  std::vector<std::int64_t> number_of_row(static_cast<std::size_t>(n), -1);
  for (const Side<T>& side : sides)
    for (std::int64_t i = 0; i < side.tree.size; ++i) number_of_row[side.tree.d_points[i].row] = side.number(i);
  ClusterLabels sets(static_cast<std::size_t>(n), -1);
  for (std::int64_t row = 0; row < n; ++row)
    if (number_of_row[row] >= 0) sets[row] = geometry::root_of(forest, static_cast<std::uint32_t>(number_of_row[row]));
  for (std::int64_t i = 0; i < none.view().size; ++i) {
    const TreePoint<T>& point = none.view().d_points[i];
    NearestCore best{0, -1};
    for (const Side<T>& side : sides)
      if (side.tree.size > 0) best = nearest_core(side.tree, Numbers{nullptr}, point, within, best);
    if (best.number >= 0) sets[point.row] = sets[best.number];
  }
  std::vector<std::int64_t> order;
  for (std::int64_t& label : sets) {
    if (label < 0) continue;
    const auto place = std::ranges::find(order, label);
    const std::int64_t set = label;
    label = place - order.begin();
    if (place == order.end()) order.push_back(set);
  }
  return sets;
}

TEST(TreeWalk, FindsTheClustersOfTheDefinition) {
  Part part;
  for (const auto& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {1, 2, 15, 16, 17, 33, 129, 260}) {
        if (!part.takes_next()) continue;
        const Points points = to_points(kind.make(n, d, 3 + n), d);
        const SqDistance sq_distance = cluster_distances(points);
        for (const double radius : cluster_radii(n, sq_distance))
          for (const std::int64_t min_points : {std::int64_t{1}, std::int64_t{2}, std::int64_t{9}, n + 1}) {
            const ClusterLabels expected = brute_clusters(n, sq_distance, radius, min_points);
            ASSERT_EQ(labels_by_walks<float>(points, radius, min_points), expected)
                << kind.name << ", n " << n << ", radius " << radius << ", min_points " << min_points;
            ASSERT_EQ(labels_by_walks<double>(points, radius, min_points), expected)
                << kind.name << ", n " << n << ", radius " << radius << ", min_points " << min_points;
          }
      }
}

}  // namespace
}  // namespace kann::test
