#include "cpu/clusters/core_points.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/threads/parallel.hpp"

namespace kann::cpu {

template <class T>
CorePoints<T>::CorePoints(const PointTree<T>& points, const problem::ClusterRule& rule)
    : points_(points),
      rule_(rule),
      within_(rule.radius),
      enough_(rule.min_points),
      counts_(static_cast<std::size_t>(points.size())) {
  base::parallel_for(points.size(), rule.threads, [&](std::int64_t i) { counts_[static_cast<std::size_t>(i)] = 0; });
  add(points);
}

template <class T>
void CorePoints<T>::add(const PointTree<T>& others) {
  if (points_.size() == 0 || others.size() == 0) return;
  constexpr std::int64_t grain = 64;
  checked_chunks(points_.first_leaf(), grain, rule_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t leaf = begin; leaf < end; ++leaf)
      count_leaf(points_.first_leaf() + static_cast<std::uint32_t>(leaf), others);
  });
}

/// Whether a leaf, or a node above it, has enough points in a box that is no wider than the radius.
template <class T>
bool CorePoints<T>::is_crowded(std::uint32_t leaf) const {
  for (std::uint32_t node = leaf; node > 0 && within_(geometry::spans(points_.box(node), points_.box(node))); node /= 2)
    if (std::ssize(points_.points(node)) >= enough_) return true;
  return false;
}

template <class T>
void CorePoints<T>::count_leaf(std::uint32_t leaf, const PointTree<T>& others) {
  const std::span<const Point> own = points_.points(leaf);
  std::int64_t* const counts = counts_.data() + (own.data() - points_.points(1).data());
  const auto have_enough = [&] {
    return std::all_of(counts, counts + own.size(), [&](auto n) { return n >= enough_; });
  };
  if (is_crowded(leaf)) std::fill_n(counts, own.size(), enough_);
  if (have_enough()) return;
  const Box& box = points_.box(leaf);
  const bool is_wide = !within_(geometry::spans(box, box));
  std::array<std::uint32_t, 64> waiting{1};  // no more than a node of each depth, and one
  for (std::size_t count = 1; count > 0;) {
    const std::uint32_t node = waiting[--count];
    const Box& other = others.box(node);
    if (!within_(geometry::gaps(box, other))) continue;
    const std::span<const Point> points = others.points(node);
    if (within_(geometry::spans(box, other))) {
      for (std::size_t i = 0; i < own.size(); ++i) counts[i] += std::ssize(points);
    } else if (is_wide && within_(geometry::spans(other, other))) {
      // The points of a wide leaf are far from each other: what is within the radius of one need not be of another
      for (std::size_t i = 0; i < own.size(); ++i)
        count_point(static_cast<std::size_t>(counts - counts_.data()) + i, others, node);
    } else if (others.is_leaf(node)) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (counts[i] >= enough_ || !within_(geometry::gaps(Box{own[i].at, own[i].at}, other))) continue;
        for (const Point& point : points) counts[i] += within_(geometry::difference(own[i], point));
      }
    } else {
      const auto reach = [&](std::uint32_t child) {
        const auto gap = geometry::gaps(box, others.box(child));
        return std::max({gap[0], gap[1], gap[2]});
      };
      const bool is_second_nearer = reach(2 * node + 1) < reach(2 * node);
      waiting[count++] = 2 * node + !is_second_nearer;
      waiting[count++] = 2 * node + is_second_nearer;  // the nearer one is next
      continue;
    }
    if (have_enough()) return;
  }
}

/// Counts what is within the radius of one point, by its place in the tree, in a node of another tree and below it.
template <class T>
void CorePoints<T>::count_point(std::size_t place, const PointTree<T>& others, std::uint32_t node) {
  const Point& own = points_.points(1)[place];
  const Box box = {own.at, own.at};
  std::int64_t& count = counts_[place];
  if (count >= enough_ || !within_(geometry::gaps(box, others.box(node)))) return;
  if (within_(geometry::spans(box, others.box(node)))) {
    count += std::ssize(others.points(node));
  } else if (others.is_leaf(node)) {
    for (const Point& point : others.points(node)) count += within_(geometry::difference(own, point));
  } else {
    count_point(place, others, 2 * node);
    count_point(place, others, 2 * node + 1);
  }
}

template class CorePoints<float>;
template class CorePoints<double>;

}  // namespace kann::cpu
