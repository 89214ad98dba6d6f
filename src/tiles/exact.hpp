// The exact search of clouds that do not fit in memory, tile by tile along the Hilbert curve.
//
// A query is searched in the tile that it lies in. Its last distance bounds what may be nearer elsewhere: it goes on to
// the other tiles that its ball reaches, one after the other, with its row, until none is left. The rows are those of
// kann::search(), byte for byte, whatever the tiles are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "comm/communicator.hpp"
#include "io/files/spool.hpp"
#include "tiles/point_source.hpp"
#include "tiles/tile_answer.hpp"
#include "tiles/tile_options.hpp"

namespace kann::tiles {

/// Queries with numbers of their own, which need not follow each other.
struct NumberedQueries {
  io::Spool& records;  ///< sequence 0: the number and the coordinates, as T, of each query of this rank
  std::string name;    ///< in messages
  bool is_float64;     ///< T is double, as it must be where the data are float64; or float
  bool are_data;       ///< query number i is point i of the data, which is not its own neighbour
};

/// Takes the rows, of k each, of the queries with these numbers that are `finished`, not 0.
using TakeRows = std::function<void(const PointsView& queries, std::span<const std::int64_t> numbers,
                                    std::span<const TileNeighbor> rows, std::span<const std::uint8_t> finished)>;

/// Searches some queries, and forgets them. Gives each of all ranks to take_rows() once, on one of these. All ranks
/// call it; it blocks. @throws as exact(), and what take_rows throws.
TileReport exact_rows(const PointSource& data, const NumberedQueries& queries, const TileOptions& options,
                      comm::Communicator& ranks, const TakeRows& take_rows);

/// Searches all queries or, if these are null, the data themselves.
TileReport exact_rows(const PointSource& data, const PointSource* queries, const TileOptions& options,
                      comm::Communicator& ranks, const TakeRows& take_rows);

/// Searches the data for the k nearest neighbours of each query, or of each of the data without `queries`. Each rank
/// has the tiles of a part of the curve. Blocks. `ranks` must outlive the answer.
/// @throws Error bad_input, resources, no_device; and as comm::Communicator::exchange().
TileAnswer exact(const PointSource& data, const PointSource* queries, const TileOptions& options,
                 comm::Communicator& ranks);

}  // namespace kann::tiles
