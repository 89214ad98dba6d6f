// A tree of boxes over points in order, as wide as a vector.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kann/array.hpp"

#include "cpu/vector/placed_points.hpp"

namespace kann::cpu {

/// Boxes of one level, axis by axis, with the smallest id in each. The arrays hold whole groups of k_group boxes; boxes
/// beyond `count` are empty, and infinitely far from every query.
template <int D, class Real = float>
struct BoxLevel {
  std::int64_t count = 0;
  std::array<Array<Real>, D> lo, hi;
  Array<std::int32_t> first_id;
};

/// Level 0 has a box for each k_group consecutive points; each level above, a box for each k_group of the level
/// below. The last level has at most k_group boxes, in one group even without points. E.g. 1000 points: 63 boxes,
/// then 4.
template <int D, class Real>
std::vector<BoxLevel<D, Real>> build_boxes(const PlacedView<D, Real>& points, int threads);

/// Bytes of the tree per point.
template <int D, class Real>
inline constexpr double k_box_bytes_per_point = (2.0 * sizeof(Real) * D + 4) / (k_group - 1);

}  // namespace kann::cpu
