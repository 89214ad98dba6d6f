// Searches in a periodic box of clouds that do not fit in memory: SearchOptions::periodic.
//
// As in memory, the answer is put together from ordinary exact ones: of the queries, and of those of their images from
// which data points may be nearer than the last neighbour. Both are made in tiles.
#pragma once

#include "flow/ranks/communicator.hpp"
#include "flow/routes/tile_options.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/tile_memory.hpp"
#include "flow/tile_report.hpp"

namespace kann::flow {

/// The searches that one in a periodic box is made of: one of the queries as they are, and one of their images. Both
/// are of points that were moved, in float64. The shape itself, if it has no box.
SearchShape without_box(SearchShape shape);

/// Bytes of memory of a search in a periodic box, beside RowStore.
double periodic_bytes(const SearchShape& shape, const TileSizes& sizes);

/// exact() in the periodic box of the options. Reads the data once more. Blocks. `ranks` must outlive the answer.
/// @throws as exact().
TileAnswer periodic(const PointSource& data, const PointSource* queries, const TileOptions& options,
                    Communicator& ranks);

}  // namespace kann::flow
