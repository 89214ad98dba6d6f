// Rows of neighbours as a search in a tile gives them: with squared distances in float64, so that the rows of several
// tiles can be merged, and with ids that are numbers in all of the data.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/sky.hpp"

namespace kann::flow {

struct TileNeighbor {
  double sq_dist;
  std::int64_t id : 63;         ///< −1: there is none
  std::uint64_t is_beyond : 1;  ///< it is beyond the radius: it keeps its place in the row, but not in the result

  static TileNeighbor missing() { return {std::numeric_limits<double>::infinity(), -1, false}; }

  /// The order of the exact answer; what is missing comes last.
  bool operator<(const TileNeighbor& other) const {
    return sq_dist < other.sq_dist ||
           (sq_dist == other.sq_dist && static_cast<std::uint64_t>(id) < static_cast<std::uint64_t>(other.id));
  }
};

/// Whether a neighbour appears in the result: it exists, and is not beyond the radius.
inline bool is_given(const TileNeighbor& neighbor) { return neighbor.id >= 0 && !neighbor.is_beyond; }

/// Rows of k neighbours each, one after the other.
using TileRows = Array<TileNeighbor>;

/// Turns the rows `found` in a tile, by a search without a radius, into TileRows, each in the order of TileNeighbor.
/// @param tile, queries row-major coordinates
/// @param ids the numbers of the tile's points in all of the data
template <class T>
TileRows rows_in_tile(std::span<const T> tile, std::span<const std::int64_t> ids, std::span<const T> queries,
                      const Neighbors& found, int dimensions, std::optional<double> radius, int threads);

/// Rows without the data point that is the query itself, which has its number; they are shorter by one. Where several
/// points share its place, it may be missing in its row already: the last neighbour is left out then.
TileRows without_own(std::span<const std::int64_t> queries, std::span<const TileNeighbor> rows, int threads);

/// Counts over finished rows.
struct RowCounts {
  std::int64_t neighbors = 0;
  std::int64_t full_rows = 0;     ///< that have k neighbours
  std::int64_t past_float32 = 0;  ///< neighbours whose distance is written as infinite
  double most_sq_dist = 0;        ///< of all neighbours

  void add(std::span<const TileNeighbor> row);
  void add(const RowCounts& other);
};

/// Writes a row as the result has it: neighbours in the order of their distances in float32, and of their ids where
/// these are equal. @param sky FileSearchOptions::sky
void write_row(std::span<const TileNeighbor> row, std::optional<AngleUnit> sky, std::span<std::int64_t> ids,
               std::span<float> distances);

/// Merges two rows that have no neighbour in common: `row` keeps the first k of both. `scratch` is memory to work in.
void merge(std::span<TileNeighbor> row, std::span<const TileNeighbor> other, std::vector<TileNeighbor>& scratch);

/// The same for a row and those of images of its query, one after the other. A neighbour that several have counts once,
/// with its smallest distance.
void merge_images(std::span<TileNeighbor> row, std::span<const TileNeighbor> of_images,
                  std::vector<TileNeighbor>& scratch);

}  // namespace kann::flow
