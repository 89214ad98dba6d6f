// Rows of neighbours as tiles give them: with squared distances in float64, so that rows of several tiles can be
// merged, and ids that count all of the data.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann::tiles {

struct TileNeighbor {
  double sq_dist;
  std::int64_t id : 63;         ///< −1: there is none
  std::uint64_t is_beyond : 1;  ///< the radius: it takes its place, and is not given

  static TileNeighbor missing() { return {std::numeric_limits<double>::infinity(), -1, false}; }

  /// The order of the exact answer; what is missing comes last.
  bool operator<(const TileNeighbor& other) const {
    return sq_dist < other.sq_dist ||
           (sq_dist == other.sq_dist && static_cast<std::uint64_t>(id) < static_cast<std::uint64_t>(other.id));
  }
};

/// Whether it is in the result, where its row is.
inline bool is_given(const TileNeighbor& neighbor) { return neighbor.id >= 0 && !neighbor.is_beyond; }

/// Rows of k.
using TileRows = Array<TileNeighbor>;

/// The rows of a search in the points of a tile, whose row numbers in all of the data are `ids`; each in the order of
/// TileNeighbor. `found` are those without a radius. T: of the coordinates, row-major.
template <class T>
TileRows rows_in_tile(std::span<const T> tile, std::span<const std::int64_t> ids, std::span<const T> queries,
                      const Neighbors& found, int dimensions, std::optional<double> radius, int threads);

/// Rows, shorter by one, without the points of the data that the queries are, by their numbers; of points at the same
/// place, one may be past the end of its row.
TileRows without_own(std::span<const std::int64_t> queries, const TileRows& rows, int threads);

/// What is in finished rows.
struct RowCounts {
  std::int64_t neighbors = 0;
  std::int64_t full_rows = 0;     ///< that have k neighbours
  std::int64_t past_float32 = 0;  ///< neighbours whose distance is written as infinite

  void add(std::span<const TileNeighbor> row);
  void add(const RowCounts& other);
};

/// The row as it is given: neighbours by their distances as float32, of equal ones by their ids.
void write_row(std::span<const TileNeighbor> row, std::span<std::int64_t> ids, std::span<float> distances);

/// Keeps the first k of both, in `row`. They have no neighbour in common. `scratch` is any memory.
void merge(std::span<TileNeighbor> row, std::span<const TileNeighbor> other, std::vector<TileNeighbor>& scratch);

}  // namespace kann::tiles
