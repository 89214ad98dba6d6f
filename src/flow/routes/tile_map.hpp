// Where all tiles of the data are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flow/routes/curve.hpp"
#include "flow/routes/curve_sections.hpp"
#include "geometry/box.hpp"

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

/// A query must be searched in every tile that its ball reaches.
class TileMap {
 public:
  /// @param tiles of all ranks, one after the other; each with those of its sections in their order
  TileMap(int dimensions, const std::vector<TileBoxes>& tiles);

  /// Bytes of memory for so many tiles: their boxes, and those of the levels above.
  static double bytes(double tiles) {
    constexpr double levels = 1 + 1. / k_fanout + 2. / (k_fanout * k_fanout);
    return tiles * (levels * CurveSections::k_slices * sizeof(TileBox) + sizeof(std::int64_t) + sizeof(std::uint32_t));
  }

  std::size_t size() const { return first_number_.size(); }

  /// The tile in which a query of this section is searched first.
  std::uint32_t home(std::uint32_t section) const { return home_[section]; }

  /// Appends, ascending, the tiles that may hold a neighbour which comes before (`sq_radius`, `id`) in the order of the
  /// answer, by the squared distance of geometry::sq_distance(). No other tile holds one. Between points at the same
  /// distance the number decides; otherwise each query would visit all tiles of a cloud whose points are all the same.
  void reached(const Coordinates& query, double sq_radius, std::int64_t id, std::vector<std::uint32_t>& tiles) const;

  /// The first tile that a query reaches from one of its places after `tile`, counted from `home` around; the number of
  /// tiles if there is none.
  std::size_t next(std::span<const Coordinates> places, double sq_radius, std::int64_t id, std::size_t home,
                   std::size_t tile) const;

  /// A box around the points of a tile.
  geometry::Box box(std::size_t tile) const {
    return {levels_[k_tile_level][tile].low, levels_[k_tile_level][tile].high};
  }

  /// Whether a tile other than `home` may hold a neighbour that is no farther than `distance`, a float32. It is
  /// sometimes true where no tile does, and several times faster than reached().
  bool may_reach_others(const Coordinates& query, float distance, std::size_t home) const;

 private:
  static constexpr std::size_t k_fanout = 8;      ///< boxes under a box of the levels above
  static constexpr std::size_t k_tile_level = 2;  ///< that of tiles
  static_assert(k_fanout * k_fanout == CurveSections::k_slices);

  struct Bound {
    const Coordinates& query;
    double sq_radius;
    std::int64_t id;
  };

  void visit(std::size_t level, std::size_t node, const Bound& bound, std::vector<std::uint32_t>& tiles) const;
  bool may_reach(std::size_t level, std::size_t node, const Coordinates& query, double sq_radius,
                 std::size_t home) const;
  bool reaches(std::size_t level, std::size_t node, const Bound& bound, bool wins_ties) const;

  int dimensions_;
  std::vector<std::int64_t> first_number_;    ///< the smallest number of a point in each tile
  std::vector<std::uint32_t> home_;           ///< the first tile of each section
  std::vector<std::vector<TileBox>> levels_;  ///< boxes of slices, then boxes around k_fanout of the level before
};

}  // namespace kann::flow
