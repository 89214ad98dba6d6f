// A k-d tree over the points of a crowded cell, or of a cloud, whose leaves are buckets. No grid and no order of bits
// serves all of these: one axis may be noise around 0 over many powers of two, and its bits would come before those of
// the other axes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/threads/parallel.hpp"
#include "cpu/vector/placed_points.hpp"

namespace kann::cpu {

/// A node of the tree. On the axis, points before its place are at most `value`, and points from there on at least.
struct FineSplit {
  std::int32_t axis = -1;  // −1: the points are identical, and in the order of their indices
  double value = 0;
};

/// The place where a node splits [begin, end). It is the first place of a bucket, so that no bucket belongs to two
/// leaves. Of these buckets, it is the one whose number can be halved most often, so that boxes over buckets are nodes,
/// too. No two nodes of a tree have the same place. E.g. [3, 40) → 32.
inline std::int64_t fine_middle(std::int64_t begin, std::int64_t end) {
  const auto first = static_cast<std::uint64_t>(begin / k_group),
             last = static_cast<std::uint64_t>((end - 1) / k_group);
  const int bit = static_cast<int>(std::bit_width(first ^ last)) - 1;
  return static_cast<std::int64_t>(last >> bit << bit) * k_group;
}
inline bool is_one_bucket(std::int64_t begin, std::int64_t end) { return begin / k_group == (end - 1) / k_group; }

/// A point of a crowded cell. `place` is its place in the cell before that was ordered.
template <int D, class Real>
struct CellPoint {
  Real axis[D];
  std::uint32_t place;
};

/// Orders the points at places [begin, begin + points.size()), which are more than one, and sets splits[place /
/// k_group] for every node. Blocks.
template <int D, class Real>
class FineTree {
 public:
  FineTree(std::vector<CellPoint<D, Real>>& points, std::int64_t begin, FineSplit* splits)
      : points_(points), all_(begin, begin + static_cast<std::int64_t>(points.size())), splits_(splits) {}

  /// Halves ranges, on all threads, until there are several per thread; each thread then builds the trees of its own.
  void build(int threads) const {
    std::vector<Range> ranges = {all_};
    while (threads > 1 && static_cast<int>(ranges.size()) < k_ranges_per_thread * threads) {
      std::vector<Range> halves(2 * ranges.size());
      base::parallel_chunks(static_cast<std::int64_t>(ranges.size()), 1, threads, [&](std::int64_t i, std::int64_t) {
        const auto [begin, end] = ranges[i];
        const std::int64_t middle = split(begin, end);
        if (middle > begin) halves[2 * i] = {begin, middle}, halves[2 * i + 1] = {middle, end};
      });
      std::erase(halves, Range{});
      ranges = std::move(halves);
      if (ranges.empty()) return;
    }
    base::parallel_chunks(static_cast<std::int64_t>(ranges.size()), 1, threads,
                          [&](std::int64_t i, std::int64_t) { build(ranges[i].first, ranges[i].second); });
  }

 private:
  using Range = std::pair<std::int64_t, std::int64_t>;
  static constexpr int k_ranges_per_thread = 4;

  void build(std::int64_t begin, std::int64_t end) const {
    const std::int64_t middle = split(begin, end);
    if (middle == begin) return;
    build(begin, middle);
    build(middle, end);
  }

  /// Splits a range at its middle place on the axis on which it is longest. Returns where, or `begin` for a leaf.
  std::int64_t split(std::int64_t begin, std::int64_t end) const {
    if (is_one_bucket(begin, end)) return begin;
    const std::int64_t middle = fine_middle(begin, end);
    FineSplit& node = splits_[middle / k_group];
    node = {};
    const auto first = points_.begin() + (begin - all_.first), last = points_.begin() + (end - all_.first);
    Real longest = 0;
    for (int a = 0; a < D; ++a) {
      Real lo = std::numeric_limits<Real>::infinity(), hi = -lo;
      for (auto point = first; point != last; ++point) {
        lo = std::min(lo, point->axis[a]);
        hi = std::max(hi, point->axis[a]);
      }
      if (!(hi - lo > longest)) continue;
      longest = hi - lo;
      node.axis = a;
    }
    // Identical points stay in the order of their indices, so that the first of their buckets have the smallest ones
    if (node.axis < 0) {
      std::sort(first, last, [](const auto& p, const auto& q) { return p.place < q.place; });
      return begin;
    }
    const auto median = first + (middle - begin);
    std::nth_element(first, median, last, [a = node.axis](const auto& p, const auto& q) {
      return p.axis[a] != q.axis[a] ? p.axis[a] < q.axis[a] : p.place < q.place;
    });
    node.value = static_cast<double>(median->axis[node.axis]);
    return middle;
  }

  std::vector<CellPoint<D, Real>>& points_;
  Range all_;  // the places of the points
  FineSplit* splits_;
};

/// The middle of the leaf of [begin, end) that a point belongs to.
template <int D>
std::int64_t place_in_fine_tree(const FineSplit* splits, std::int64_t begin, std::int64_t end,
                                const std::array<double, D>& point) {
  while (!is_one_bucket(begin, end)) {
    const std::int64_t middle = fine_middle(begin, end);
    const FineSplit& node = splits[middle / k_group];
    if (node.axis < 0) break;
    (point[node.axis] < node.value ? end : begin) = middle;
  }
  return (begin + end) / 2;
}

}  // namespace kann::cpu
