// Searches in a periodic box of clouds that do not fit in memory: SearchOptions::periodic.
//
// As in memory, the answer is put together from ordinary exact ones: of the queries, and of those of their images from
// which data points may be nearer than the last neighbour. Both are made in tiles.
#pragma once

#include "comm/communicator.hpp"
#include "tiles/point_source.hpp"
#include "tiles/tile_answer.hpp"
#include "tiles/tile_options.hpp"

namespace kann::tiles {

/// exact() in the periodic box of the options. Reads the data once more. Blocks. `ranks` must outlive the answer.
/// @throws as exact().
TileAnswer periodic(const PointSource& data, const PointSource* queries, const TileOptions& options,
                    comm::Communicator& ranks);

}  // namespace kann::tiles
