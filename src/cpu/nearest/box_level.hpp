// One level of a tree of boxes, as vectors read it.
#pragma once

#include <array>
#include <cstdint>

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

}  // namespace kann::cpu
