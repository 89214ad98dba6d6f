// Finds where in the order of the data a query's neighbours are if the points around its rank on the curve are none of
// them: a query far outside the data, or off a line or a plane. Compiled once per vector target: see
// vector/lanes-inl.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/nearest/box_descent-inl.hpp"
#include "cpu/vector/query_team-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The place of a point that is hardly farther from the query of `bounds` than any other: the nearest point in the
/// first few buckets of a descent that takes the nearest boxes first. That is enough for a first bound.
template <int D, class Real, class Bounds>
std::int64_t nearest_place(const std::vector<BoxLevel<D, Real>>& levels, const PlacedView<D, Real>& points,
                           Bounds bounds) {
  using Tag = hn::DFromV<decltype(bounds.bound)>;
  constexpr auto lanes = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  constexpr int max_buckets = 8;
  int buckets = 0;
  std::int64_t place = 0;
  auto least = std::numeric_limits<typename Bounds::Real>::infinity();
  descend_nearest_first(levels, bounds, [&](std::int64_t bucket) HWY_ATTR {
    const std::int64_t begin = bucket * k_group, end = std::min(begin + k_group, points.count);
    for (std::int64_t at = begin; at < end; at += lanes) {
      HWY_ALIGN typename Bounds::Real sq_dists[lanes];
      hn::Store(sq_distances(bounds.lo, points, at), Tag(), sq_dists);
      for (std::int64_t i = 0; i < std::min(lanes, end - at); ++i) {
        if (!(sq_dists[i] < least)) continue;
        least = sq_dists[i];
        place = at + i;
      }
    }
    bounds.bound = hn::Min(bounds.bound, hn::Set(Tag(), least));
    return ++buckets < max_buckets;
  });
  return place;
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
