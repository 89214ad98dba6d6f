// The walk of one point through a tree, and what it looks for: neighbours to count, to be united with, or the nearest.
// Called by one thread per point; points of a warp that are neighbours walk nearly the same way. A walk needs no stack:
// it goes from left to right, and the number of a node says which one follows all that are below it.
#pragma once

#include <cuda/atomic>

#include "cuda/clusters/nearest_cores.hpp"
#include "cuda/clusters/point_tree.hpp"
#include "geometry/disjoint_sets.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::clusters {

/// A point as a box.
template <class T>
struct PointBox {
  T lo[3], hi[3];
};
template <class T>
KANN_HOST_DEVICE PointBox<T> box_of(const TreePoint<T>& p) {
  return {{p.at[0], p.at[1], p.at[2]}, {p.at[0], p.at[1], p.at[2]}};
}

KANN_HOST_DEVICE bool is_within(const WithinRadius& within, const Difference& d) { return within(d[0], d[1], d[2]); }

/// The box of a leaf, or of two nodes together.
template <class T>
KANN_HOST_DEVICE PointBox<T> joined(const T* lo, const T* hi, const T* other_lo, const T* other_hi) {
  PointBox<T> box;
  for (int x = 0; x < 3; ++x) {
    box.lo[x] = other_lo[x] < lo[x] ? other_lo[x] : lo[x];
    box.hi[x] = other_hi[x] > hi[x] ? other_hi[x] : hi[x];
  }
  return box;
}

/// A node, from its points if it is a leaf, else from the two nodes below it.
template <class T>
KANN_HOST_DEVICE TreeNode<T> made_node(const PointTreeView<T>& tree, std::uint32_t node, const WithinRadius& within) {
  PointBox<T> box;
  if (tree.is_leaf(node)) {
    const std::int64_t first = tree.begin(node), last = tree.end(node);
    box = box_of(tree.d_points[first]);
    for (std::int64_t i = first + 1; i < last; ++i)
      box = joined(box.lo, box.hi, tree.d_points[i].at, tree.d_points[i].at);
  } else {
    const TreeNode<T>&left = tree.d_nodes[2 * node], &right = tree.d_nodes[2 * node + 1];
    box = joined(left.lo, left.hi, right.lo, right.hi);
  }
  const T is_narrow = is_within(within, spans(box, box)) ? T(1) : T(0);
  return {{box.lo[0], box.lo[1], box.lo[2]}, is_narrow, {box.hi[0], box.hi[1], box.hi[2]}, T(0)};
}

/// The largest narrow node that has a point, or its leaf if that is wide.
template <class T>
KANN_HOST_DEVICE std::uint32_t narrow_node_of(const PointTreeView<T>& tree, std::int64_t point) {
  std::uint32_t node = tree.leaf_of(point);
  while (node > 1 && tree.is_narrow(node / 2)) node /= 2;  // what is below a narrow node is narrow
  return node;
}

/// `count`, and how many points of the tree are within the radius of a point; not all of those that reach `enough`.
template <class T>
KANN_HOST_DEVICE std::int64_t count_within(const PointTreeView<T>& tree, const TreePoint<T>& point,
                                           const WithinRadius& within, std::int64_t count, std::int64_t enough) {
  const PointBox<T> own = box_of(point);
  std::uint32_t node = 1;
  do {
    const TreeNode<T> box = tree.d_nodes[node];
    if (is_within(within, gaps(own, box))) {
      if (is_within(within, spans(own, box))) {
        count += tree.end(node) - tree.begin(node);
      } else if (!tree.is_leaf(node)) {
        node = 2 * node;
        continue;
      } else {
        for (std::int64_t i = tree.begin(node), end = tree.end(node); i < end; ++i)
          count += is_within(within, difference(point, tree.d_points[i]));
      }
    }
    node = HeapNodes::node_after(node);
  } while (node != 1 && count < enough);
  return count;
}

/// The forest of sets of points, in memory of the device.
struct Forest {
  std::uint32_t* d_parents;

  KANN_HOST_DEVICE auto at(std::uint32_t i) const {
    return ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>(d_parents[i]);
  }
  KANN_HOST_DEVICE std::uint32_t load(std::uint32_t i) const { return at(i).load(::cuda::memory_order_relaxed); }
  KANN_HOST_DEVICE void store(std::uint32_t i, std::uint32_t parent) const {
    at(i).store(parent, ::cuda::memory_order_relaxed);
  }
  KANN_HOST_DEVICE bool replace(std::uint32_t i, std::uint32_t from, std::uint32_t to) const {
    return at(i).compare_exchange_strong(from, to, ::cuda::memory_order_relaxed);
  }
};

/// Points of a tree as they are numbered in a forest: from `first` on, in the order of the tree.
template <class T>
struct Side {
  PointTreeView<T> tree;
  std::uint32_t first;

  KANN_HOST_DEVICE std::uint32_t number(std::int64_t place) const { return first + static_cast<std::uint32_t>(place); }

  /// The parent of a point at first: points of a narrow node are one set.
  KANN_HOST_DEVICE std::uint32_t first_parent(std::int64_t place) const {
    const std::uint32_t node = narrow_node_of(tree, place);
    return number(tree.is_narrow(node) ? tree.begin(node) : place);
  }
};

/// Unites a point with what is within the radius, in the nodes of a side from `node` on. Of a narrow node, which is one
/// set, a single point suffices.
template <class T>
KANN_HOST_DEVICE void link_from(std::uint32_t node, const TreePoint<T>& point, std::uint32_t number,
                                const Side<T>& others, const WithinRadius& within, Forest& sets) {
  const PointTreeView<T>& tree = others.tree;
  const PointBox<T> own = box_of(point);
  do {
    const TreeNode<T> box = tree.d_nodes[node];
    const bool is_narrow = box.is_narrow != 0;
    if (is_within(within, gaps(own, box)) &&
        !(is_narrow && are_united(sets, number, others.number(tree.begin(node))))) {
      if (!tree.is_leaf(node)) {
        node = 2 * node;
        continue;
      }
      for (std::int64_t i = tree.begin(node), end = tree.end(node); i < end; ++i) {
        if (!is_within(within, difference(point, tree.d_points[i]))) continue;
        unite(sets, number, others.number(i));
        if (is_narrow) break;
      }
    }
    node = HeapNodes::node_after(node);
  } while (node != 1);
}

/// Unites a point of a side with those of the same side that follow it.
template <class T>
KANN_HOST_DEVICE void link_within(const Side<T>& side, std::int64_t place, const WithinRadius& within, Forest& sets) {
  const PointTreeView<T>& tree = side.tree;
  const TreePoint<T> point = tree.d_points[place];
  const std::uint32_t node = narrow_node_of(tree, place);
  if (!tree.is_narrow(node)) {
    for (std::int64_t i = place + 1, end = tree.end(node); i < end; ++i)
      if (is_within(within, difference(point, tree.d_points[i]))) unite(sets, side.number(place), side.number(i));
  }
  const std::uint32_t next = HeapNodes::node_after(node);
  if (next != 1) link_from(next, point, side.number(place), side, within, sets);
}

/// Numbers of the points of a cloud, by their places in it.
struct Numbers {
  const std::int64_t* d_numbers;  ///< null: they are their places

  KANN_HOST_DEVICE std::int64_t operator[](std::uint32_t row) const { return d_numbers ? d_numbers[row] : row; }
};

/// `best`, or a point of the tree that is nearer, or as near with a smaller number.
template <class T>
KANN_HOST_DEVICE NearestCore nearest_core(const PointTreeView<T>& tree, const Numbers& numbers,
                                          const TreePoint<T>& point, const WithinRadius& within, NearestCore best) {
  const PointBox<T> own = box_of(point);
  const auto square = [](const Difference& d) { return sq_distance_3d(d[0], d[1], d[2]); };
  std::uint32_t node = 1;
  do {
    const Difference gap = gaps(own, tree.d_nodes[node]);
    if (best.number >= 0 ? square(gap) <= best.sq_dist : is_within(within, gap)) {
      if (!tree.is_leaf(node)) {
        node = 2 * node;
        continue;
      }
      for (std::int64_t i = tree.begin(node), end = tree.end(node); i < end; ++i) {
        const TreePoint<T> core = tree.d_points[i];
        const Difference d = difference(point, core);
        if (!is_within(within, d)) continue;
        const NearestCore found{square(d), numbers[core.row]};
        const bool is_nearer =
            found.sq_dist < best.sq_dist || (found.sq_dist == best.sq_dist && found.number < best.number);
        if (best.number < 0 || is_nearer) best = found;
      }
    }
    node = HeapNodes::node_after(node);
  } while (node != 1);
  return best;
}

}  // namespace kann::cuda::clusters
