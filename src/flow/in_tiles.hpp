// The exact search of clouds that do not fit in memory, tile by tile along the Hilbert curve.
//
// A query is searched in the tile in which it lies. A nearer point elsewhere lies within the ball of its last
// neighbour: so the query goes on, with its row, to the other tiles that this ball reaches, one after another, until
// none is left. The rows are those of kann::search(), byte for byte, whatever the tiles are.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "flow/file_search_report.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/sources/tile_queries.hpp"

namespace kann::flow {

/// Receives finished rows of k neighbours each. `finished[i]` is not 0 if row i, of query `numbers[i]`, is complete.
using TakeRows = std::function<void(const PointsView& queries, std::span<const std::int64_t> numbers,
                                    std::span<const TileNeighbor> rows, std::span<const std::uint8_t> finished)>;

/// Searches the queries of all ranks, and passes each finished row once to take_rows(), on one of the ranks. All ranks
/// call it; it blocks. @throws as in_tiles(), and what take_rows throws.
FileSearchReport search_tiles(const PointSource& data, const TileQueries& queries, const FileSearchOptions& options,
                              Communicator& ranks, const TakeRows& take_rows);

/// Finds the k nearest neighbours of each query. Each rank has the tiles of a part of the curve. Blocks. `ranks` must
/// outlive the answer.
/// @throws Error bad_input, resources, no_device; and as Communicator::exchange().
FileSearchResult in_tiles(const PointSource& data, const TileQueries& queries, const FileSearchOptions& options,
                          Communicator& ranks);

}  // namespace kann::flow
