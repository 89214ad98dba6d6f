// Searches in a periodic box of clouds that do not fit in memory: SearchOptions::periodic.
//
// As in memory, the answer is put together from ordinary exact ones: of the queries, and of those of their images from
// which data points may be nearer than the last neighbour. Both are made in tiles.
#pragma once

#include "flow/ranks/communicator.hpp"
#include "flow/routes/tile_options.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/tile_report.hpp"

namespace kann::flow {

/// exact() in the periodic box of the options. Reads the data once more. Blocks. `ranks` must outlive the answer.
/// @throws as exact().
TileAnswer periodic(const PointSource& data, const PointSource* queries, const TileOptions& options,
                    Communicator& ranks);

}  // namespace kann::flow
