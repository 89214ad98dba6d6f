// Where all tiles of the data are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/routes/tile_boxes.hpp"
#include "geometry/box.hpp"

namespace kann::flow {

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
