#include "cpu/clusters/point_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "base/threads/parallel.hpp"

namespace kann::cpu {

template <class T>
PointTree<T>::PointTree(const problem::ChosenPoints& chosen, const problem::ClusterRule& rule)
    : cloud_(chosen.cloud),
      nodes_(std::ssize(chosen.places), k_leaf),
      points_(chosen.places.size()),
      boxes_(std::size_t{2} << nodes_.depth) {
  const PointsView& cloud = cloud_.points;
  std::visit(
      [&](const auto& coordinates) {
        base::parallel_for(size(), rule.threads, [&](std::int64_t i) {
          Point& point = points_[static_cast<std::size_t>(i)];
          point = {{}, static_cast<std::uint32_t>(chosen.places[static_cast<std::size_t>(i)])};
          for (int x = 0; x < cloud.dimensions; ++x)
            point.at[x] = static_cast<T>(
                coordinates[static_cast<std::size_t>(point.row) * static_cast<std::size_t>(cloud.dimensions) + x]);
        });
      },
      cloud.coordinates);
  if (size() == 0) return;
  // Level by level until there are nodes for all threads; then each builds what is below a node
  constexpr std::uint32_t nodes_per_thread = 8;
  for (int depth = 0; depth <= nodes_.depth; ++depth) {
    const std::uint32_t first = std::uint32_t{1} << depth;
    const bool is_last = first >= nodes_per_thread * static_cast<std::uint32_t>(rule.threads);
    checked_chunks(first, 1, rule, [&](std::int64_t begin, std::int64_t) {
      build(first + static_cast<std::uint32_t>(begin), is_last ? nodes_.depth : depth, depth);
    });
    if (is_last) break;
  }
}

/// Computes the box of a node, and divides its points in halves along the longest side; the same for all nodes below
/// down to a depth. @param own_depth the depth of the node
template <class T>
void PointTree<T>::build(std::uint32_t node, int depth, int own_depth) {
  const std::int64_t first = nodes_.begin(node), last = nodes_.end(node);
  Point* const own = points_.data();
  Box& box = boxes_[node];
  box = {own[first].at, own[first].at};
  for (std::int64_t i = first + 1; i < last; ++i)
    for (int x = 0; x < 3; ++x) {
      box.lo[x] = std::min(box.lo[x], own[i].at[x]);
      box.hi[x] = std::max(box.hi[x], own[i].at[x]);
    }
  if (is_leaf(node)) return;
  const auto side = [&](int x) { return static_cast<double>(box.hi[x]) - static_cast<double>(box.lo[x]); };
  int axis = 0;
  for (int x = 1; x < 3; ++x)
    if (side(x) > side(axis)) axis = x;
  if (side(axis) > 0)
    std::nth_element(own + first, own + nodes_.begin(2 * node + 1), own + last,
                     [axis](const Point& a, const Point& b) { return a.at[axis] < b.at[axis]; });
  if (own_depth >= depth) return;
  build(2 * node, depth, own_depth + 1);
  build(2 * node + 1, depth, own_depth + 1);
}

template class PointTree<float>;
template class PointTree<double>;

}  // namespace kann::cpu
