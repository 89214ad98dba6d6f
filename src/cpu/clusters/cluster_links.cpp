#include "cpu/clusters/cluster_links.hpp"

#include <algorithm>
#include <cstddef>

#include "geometry/distance.hpp"

namespace kann::cpu {
namespace {

constexpr std::int64_t k_leaves_at_once = 64;

}  // namespace

template <class T>
ClusterLinks<T>::ClusterLinks(const PointTree<T>& cores, const problem::ClusterRule& rule, problem::DisjointSets& sets)
    : rule_(rule), within_(rule.radius), sets_(sets), own_(unite_narrow(cores)) {
  link(own_, true);
}

template <class T>
void ClusterLinks<T>::add(const PointTree<T>& others) {
  link(unite_narrow(others), false);
}

template <class T>
auto ClusterLinks<T>::unite_narrow(const PointTree<T>& tree) const -> Side {
  Side side{tree, Flags(std::size_t{2} * tree.first_leaf())};
  if (tree.size() == 0) return side;
  constexpr std::int64_t grain = 1024;
  checked_chunks(std::ssize(side.is_narrow) - 1, grain, rule_, [&](std::int64_t begin, std::int64_t end) {
    for (auto node = static_cast<std::uint32_t>(begin + 1); node <= static_cast<std::uint32_t>(end); ++node) {
      side.is_narrow[node] = within_(geometry::spans(tree.box(node), tree.box(node)));
      if (!side.is_narrow[node]) continue;
      if (!tree.is_leaf(node)) {
        sets_.unite(side.any(2 * node), side.any(2 * node + 1));
        continue;
      }
      for (const Point& point : tree.points(node)) sets_.unite(side.any(node), tree.number(point));
    }
  });
  return side;
}

/// Unites the points of this tree with those of another, or with each other.
template <class T>
void ClusterLinks<T>::link(const Side& others, bool are_own) {
  if (own_.tree.size() == 0 || others.tree.size() == 0) return;
  checked_chunks(own_.tree.first_leaf(), k_leaves_at_once, rule_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t leaf = begin; leaf < end; ++leaf)
      link_leaf(own_.tree.first_leaf() + static_cast<std::uint32_t>(leaf), others, 1, are_own);
  });
}

/// Unites the points of a leaf with those of a node and below it; in the same tree, only with those that follow.
template <class T>
void ClusterLinks<T>::link_leaf(std::uint32_t leaf, const Side& others, std::uint32_t node, bool are_own) {
  const std::span<const Point> own = own_.tree.points(leaf), points = others.tree.points(node);
  if (are_own && points.data() + points.size() <= own.data()) return;
  if (!within_(geometry::gaps(own_.tree.box(leaf), others.tree.box(node)))) return;
  const bool is_narrow = own_.is_narrow[leaf];
  if (others.is_narrow[node]) {
    // Between narrow boxes, one pair suffices. The points of a wide leaf look for one each
    if (is_narrow && sets_.are_united(own_.any(leaf), others.any(node))) return;
    if (!is_narrow || others.tree.is_leaf(node)) {
      for (const Point& point : own) {
        link_point(point, own_.tree.number(point), others, node);
        if (is_narrow && sets_.are_united(own_.any(leaf), others.any(node))) return;
      }
      return;
    }
  } else if (others.tree.is_leaf(node)) {
    for (const Point& point : own) link_point(point, own_.tree.number(point), others, node);
    return;
  }
  link_leaf(leaf, others, 2 * node, are_own);
  link_leaf(leaf, others, 2 * node + 1, are_own);
}

template <class T>
void ClusterLinks<T>::link_point(const Point& point, std::int64_t number, const Side& others, std::uint32_t node) {
  const bool is_narrow = others.is_narrow[node];
  if (is_narrow && sets_.are_united(number, others.any(node))) return;
  const typename PointTree<T>::Box box = {point.at, point.at};
  if (!within_(geometry::gaps(box, others.tree.box(node)))) return;
  if (!others.tree.is_leaf(node)) {
    link_point(point, number, others, 2 * node);
    link_point(point, number, others, 2 * node + 1);
    return;
  }
  for (const Point& other : others.tree.points(node)) {
    if (!within_(geometry::difference(point, other))) continue;
    sets_.unite(number, others.tree.number(other));
    if (is_narrow) return;
  }
}

namespace {

template <class T>
class NearestCoreSearch {
 public:
  NearestCoreSearch(const PointTree<T>& cores, double radius) : cores_(cores), within_(radius) {}

  void search(const typename PointTree<T>::Point& point, std::uint32_t node, NearestCore& best) const {
    const typename PointTree<T>::Box box = {point.at, point.at};
    const double near = sq_gap(box, node);
    if (best.number >= 0 ? near > best.sq_dist : !within_(geometry::gaps(box, cores_.box(node)))) return;
    if (!cores_.is_leaf(node)) {
      const bool is_second_nearer = sq_gap(box, 2 * node + 1) < sq_gap(box, 2 * node);
      search(point, 2 * node + is_second_nearer, best);
      return search(point, 2 * node + !is_second_nearer, best);
    }
    for (const auto& core : cores_.points(node)) {
      const auto d = geometry::difference(point, core);
      if (!within_(d)) continue;
      const NearestCore found = {geometry::sq_distance_3d(d[0], d[1], d[2]), cores_.number(core)};
      const bool is_nearer =
          found.sq_dist < best.sq_dist || (found.sq_dist == best.sq_dist && found.number < best.number);
      if (best.number < 0 || is_nearer) best = found;
    }
  }

 private:
  /// The least squared distance from points of a node, as those of points are rounded.
  double sq_gap(const typename PointTree<T>::Box& box, std::uint32_t node) const {
    const auto gap = geometry::gaps(box, cores_.box(node));
    return geometry::sq_distance_3d(gap[0], gap[1], gap[2]);
  }

  const PointTree<T>& cores_;
  const WithinFilter within_;
};

}  // namespace

template <class T>
void find_nearest_cores(const PointTree<T>& points, const PointTree<T>& cores, const problem::ClusterRule& rule,
                        std::span<NearestCore> found) {
  if (points.size() == 0 || cores.size() == 0) return;
  const NearestCoreSearch<T> nearest(cores, rule.radius);
  constexpr std::int64_t grain = 1024;
  checked_chunks(points.size(), grain, rule, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      nearest.search(points.points(1)[i], 1, found[i]);
  });
}

template class ClusterLinks<float>;
template class ClusterLinks<double>;
template void find_nearest_cores(const PointTree<float>&, const PointTree<float>&, const problem::ClusterRule&,
                                 std::span<NearestCore>);
template void find_nearest_cores(const PointTree<double>&, const PointTree<double>&, const problem::ClusterRule&,
                                 std::span<NearestCore>);

}  // namespace kann::cpu
