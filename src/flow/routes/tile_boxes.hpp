// Boxes around the points of a tile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "flow/routes/curve.hpp"
#include "flow/routes/curve_sections.hpp"

namespace kann::flow {

/// A box around points, in float64 coordinates as they were given.
struct TileBox {
  Coordinates low, high;

  TileBox();
  void add(const Coordinates& point);
  void add(const TileBox& other);

  /// A squared distance that geometry::sq_distance() exceeds or equals for every point in the box, as rounding is
  /// monotone in each difference. Infinite for an empty box.
  double sq_distance(const Coordinates& query, int dimensions) const;

  /// The same without that promise: it is off by some parts in 2⁵², and several times faster, since fma() is a function
  /// call in code for any processor. 2-D points have a third coordinate of 0.
  double rough_sq_distance(const Coordinates& query) const {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double d = std::max({low[a] - query[a], query[a] - high[a], 0.0});
      sum += d * d;
    }
    return sum;
  }
};

/// The boxes of one tile, which holds points of a single section of the curve.
struct TileBoxes {
  std::uint32_t section = 0;
  std::int64_t first_number = -1;                      ///< the smallest number of a point in it; −1: it has none
  std::array<TileBox, CurveSections::k_slices> boxes;  ///< by the slices of the section

  /// @param slice as CurveSections::slice_of()
  void add(std::uint32_t slice, const Coordinates& point, std::int64_t number);
};

}  // namespace kann::flow
