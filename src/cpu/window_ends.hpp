// What the ends of a window show, from the codes of the points, which are at hand on the CPU.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "cpu/vector/names.hpp"
#include "geometry/doubt.hpp"

namespace kann::cpu {

/// covered_sq_side() of the bits −1, 0, … of a code.
template <int D>
inline const std::array<float, 65> k_covered_sq_sides = [] {
  std::array<float, 65> sides;
  for (int bit = -1; bit < 64; ++bit) sides[static_cast<std::size_t>(bit + 1)] = covered_sq_side<D>(bit);
  return sides;
}();

/// ends_of() for a query's window in shift 0, computed from codes. `codes` are those of the data in that order, with
/// all bits; is_near(place) returns whether the point there is within run_reach(). (This takes 5 to 10 ns per query;
/// from the cells of the coordinates, without a table, it took 40, of 110 ns in all.)
template <int D, class IsNear>
WindowEnds ends_by_codes(const std::uint64_t* codes, const Window& window, std::int64_t n, std::uint64_t own,
                         IsNear is_near) {
  std::size_t bits = 65;  // as many as up to the highest bit in which the code of an end differs from the query's
  bool cuts_run = false;
  const auto look = [&](std::int64_t end, std::int64_t before) {
    bits = std::min<std::size_t>(bits, static_cast<std::size_t>(std::bit_width(codes[end] ^ own)));
    if (codes[end] == codes[before] && is_near(end)) cuts_run = true;
  };
  if (window.begin > 0) look(window.begin, window.begin + 1);
  if (window.end < n) look(window.end - 1, window.end - 2);
  return {bits == 65 ? INFINITY : k_covered_sq_sides<D>[bits], cuts_run};
}

}  // namespace kann::cpu
