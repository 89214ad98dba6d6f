// The sizes of a search, and the memory that it takes in tiles: exact.cpp charges these figures, and the plan adds them
// up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "flow/routes/tile_options.hpp"
#include "flow/rows/answer.hpp"
#include "flow/rows/row_store.hpp"
#include "flow/rows/tile_rows.hpp"
#include "search/search_memory.hpp"

namespace kann::flow {

/// The sizes of a search, as far as its memory depends on them.
struct SearchShape {
  std::int64_t data = 0, queries = 0;  ///< points; in a self-query, both are those of the data
  std::int64_t k = 0;
  int dimensions = 3;
  bool is_float64 = false, is_self = false;
  bool is_mixed = false;  ///< one cloud is float64, the other float32
  bool may_skip = false;  ///< points that are not valid
  bool is_periodic = false;
  int ranks = 1;  ///< that have as much each

  int shifts = 0;  ///< how many the shifted sort searches; 0: an exact search

  double data_attributes = 0, query_attributes = 0;  ///< bytes per point
  double data_buffers = 0, query_buffers = 0;        ///< bytes that readers take at a time, beside points
  double held_files = 0;  ///< bytes of files that are in memory while the clouds are read as a whole
  int threads = 1;
  ProductShape products;

  double coordinate_bytes() const { return dimensions * (is_float64 ? 8.0 : 4.0); }

  detail::PointLoad point_load(bool keeps_orders) const {
    return {.dimensions = dimensions,
            .k = k,
            .shifts = shifts,
            .is_float64 = is_float64,
            .is_mixed = is_mixed,
            .is_self = is_self,
            .may_skip = may_skip,
            .keeps_orders = keeps_orders};
  }

  /// Points of the data of all ranks.
  double all_data() const { return static_cast<double>(data) * ranks; }

  /// Bytes of a row that is finished, as a record.
  double row_bytes() const {
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    return RowStore::row_bytes(static_cast<double>(k), all_data() > most);
  }
};

/// A row that goes on takes seven times the memory of one that was found, so that a quarter of the queries of a piece
/// is looked at at a time, and a quarter of a piece is forwarded at a time.
inline std::int64_t part_of_piece(std::int64_t queries) { return std::max<std::int64_t>(1, (queries + 3) / 4); }

/// Bytes of a forwarded query as a record: the point, its home, and its row so far.
inline double forwarded_bytes(double point_bytes, double k) {
  return point_bytes + sizeof(std::uint32_t) + k * sizeof(TileNeighbor);
}

/// Bytes of rows as a search gives them.
inline double found_bytes(double rows, double k) { return rows * k * (sizeof(std::int32_t) + sizeof(float)); }

/// Bytes of queries whose rows go on, beside their records: points, found and merged rows, homes, and what is finished.
inline double going_bytes(double queries, double point_bytes, double k) {
  return queries * (forwarded_bytes(point_bytes, k) + 1) + found_bytes(queries, k);
}

/// Bytes of queries that have arrived and go on, beside the records of both: they have a second row, of this tile.
inline double arriving_bytes(double queries, double point_bytes, double k) {
  return going_bytes(queries, point_bytes, k) + queries * k * sizeof(TileNeighbor);
}

/// A search in a tile: by the tile's own points, or by other queries. No point of a tile is invalid.
inline detail::PointLoad tile_search(int dimensions, std::int64_t k, bool is_float64, bool is_self) {
  return {.dimensions = dimensions,
          .k = k,
          .shifts = 0,
          .is_float64 = is_float64,
          .is_mixed = false,
          .is_self = is_self,
          .may_skip = false,
          .keeps_orders = true};
}

/// Bytes of memory of the searches in one tile, at most, beside TileStore, RowStore and forwarded queries that wait.
double tile_bytes(const SearchShape& shape, const TileSizes& sizes);

/// Bytes of memory of exact_rows(), at most, beside RowStore. @param moved of a point that a PlacedSource makes
double exact_bytes(const SearchShape& shape, const TileSizes& sizes, double moved = 0);

/// How many rows are finished at a time, at most.
double finished_together(const SearchShape& shape, const TileSizes& sizes);

}  // namespace kann::flow
