// The shifted sort of clouds that do not fit in memory, tile by tile along the order of one shift after the other.
//
// In each shift a query is searched in the tile where its window lies, and goes on to its tile in the next shift with
// the nearest points that it has seen. The data move from the tiles of a shift to those of the next. Doubtful queries
// are searched exactly at last. The rows are those of kann::search(), byte for byte, whatever the tiles are.
#pragma once

#include "comm/communicator.hpp"
#include "tiles/exact.hpp"
#include "tiles/point_source.hpp"
#include "tiles/tile_options.hpp"

namespace kann::tiles {

/// As exact(), by the shifted sort: on the CPU, but for the exact searches. Blocks.
/// @throws as exact(); Error usage (options that do not suit the dimensions).
TileAnswer shifted_sort(const PointSource& data, const PointSource* queries, const TileOptions& options,
                        comm::Communicator& ranks);

}  // namespace kann::tiles
