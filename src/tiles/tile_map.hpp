// Where the tiles of the data are: runs of the Hilbert curve, and the boxes of their points.
#pragma once

#include <cstdint>
#include <vector>

#include "tiles/curve.hpp"

namespace kann::tiles {

/// Of all queries, those whose ball reaches a tile must be searched there.
class TileMap {
 public:
  /// `first` positions of the tiles, ascending; the first tile begins at 0.
  TileMap(int dimensions, std::vector<std::uint64_t> first);

  std::size_t size() const { return run_of_.size(); }

  /// The tile that a query at this position is searched in first.
  std::size_t tile_of(std::uint64_t position) const;

  /// Another tile of the run of `tile`, for points that are too many for one. Returns its number.
  std::size_t add_tile(std::size_t tile);

  /// Widens the boxes of the tile that a point belongs to, which is number `row` of the data. Points come in their
  /// order.
  void add(std::size_t tile, std::uint64_t position, const Coordinates& point, std::int64_t row);

  /// To be called when all points were added, before reached().
  void finish();

  /// Appends the tiles, ascending, that may hold a neighbour before (`sq_radius`, `id`) in the order of the answer, the
  /// squared distance as geometry::sq_distance() has it: no such point is in another. Of points at the same distance
  /// the number decides, or all tiles of a cloud of one place would be visited by all queries.
  void reached(const Coordinates& query, double sq_radius, std::int64_t id, std::vector<std::uint32_t>& tiles) const;

 private:
  struct Box {
    Coordinates low, high;

    Box();
    void add(const Coordinates& point);
    void add(const Box& other);
    double sq_distance(const Coordinates& query, int dimensions) const;
  };

  static constexpr std::size_t k_boxes = 16;  ///< of a tile, each of an equal part of its run
  static constexpr std::size_t k_fanout = 8;  ///< boxes under a box of the levels above

  struct Bound {
    const Coordinates& query;
    double sq_radius;
    std::int64_t id;
  };

  void visit(std::size_t level, std::size_t node, const Bound& bound, std::vector<std::uint32_t>& tiles) const;

  int dimensions_;
  std::vector<std::uint64_t> first_;      ///< of each run
  std::vector<std::size_t> run_of_;       ///< of each tile; that of tile i is i, but for those that were added
  std::vector<std::int64_t> first_row_;   ///< of each tile; −1: it has no point
  std::vector<Box> boxes_;                ///< k_boxes per tile
  std::vector<std::vector<Box>> levels_;  ///< of tiles, then of k_fanout boxes of the level before each
};

}  // namespace kann::tiles
