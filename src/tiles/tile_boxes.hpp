// Boxes around the points of a tile.
#pragma once

#include <array>
#include <cstdint>

#include "tiles/curve.hpp"
#include "tiles/runs.hpp"

namespace kann::tiles {

/// Of points as they are, in float64.
struct TileBox {
  Coordinates low, high;

  TileBox();
  void add(const Coordinates& point);
  void add(const TileBox& other);

  /// No more than that of geometry::sq_distance() to any point in the box: rounding is monotone in each difference.
  /// Infinite for an empty box.
  double sq_distance(const Coordinates& query, int dimensions) const;
};

/// Those of one tile, which has points of one run of the curve.
struct TileBoxes {
  std::uint32_t run = 0;
  std::int64_t first_row = -1;               ///< the smallest number of a point in it; −1: it has none
  std::array<TileBox, Runs::k_parts> parts;  ///< of the run

  /// @param part as Runs::part_of()
  void add(std::uint32_t part, const Coordinates& point, std::int64_t row);
};

}  // namespace kann::tiles
