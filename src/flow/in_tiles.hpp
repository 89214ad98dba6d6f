// The exact search of clouds that do not fit in memory, tile by tile along the Hilbert curve.
//
// A query is searched in the tile in which it lies. A nearer point elsewhere lies within the ball of its last
// neighbour: so the query goes on, with its row, to the other tiles that this ball reaches, one after another, until
// none is left. In a periodic box, each of its images has a ball, too, and a tile searches all places of the query that
// reach it: a data point is in one tile, so that there alone several places find it. The rows are those of
// kann::search(), byte for byte, whatever the tiles are.
#pragma once

#include "flow/file_search_report.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/placed_clouds.hpp"

namespace kann::flow {

/// Finds the k nearest neighbours of each query. Each rank has the tiles of a part of the curve. Blocks. `ranks` must
/// outlive the answer.
/// @throws Error bad_input, resources, no_device; and as Communicator::exchange().
FileSearchResult in_tiles(const PlacedClouds& clouds, Communicator& ranks);

}  // namespace kann::flow
