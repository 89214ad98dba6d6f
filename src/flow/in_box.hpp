// Searches in a periodic box of clouds that do not fit in memory: SearchOptions::periodic.
//
// As in memory, the answer is put together from ordinary exact ones: of the queries, and of those of their images from
// which data points may be nearer than the last neighbour. Both are made in tiles.
#pragma once

#include "flow/file_search_report.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/tile_memory.hpp"

namespace kann::flow {

/// The searches that one in a periodic box is made of: one of the queries as they are, and one of their images. Both
/// are of points that were moved, in float64. The shape itself, if it has no box.
SearchShape without_box(SearchShape shape);

/// Bytes of memory of a search in a periodic box, beside RowStore.
double in_box_bytes(const SearchShape& shape, const FileSearchSizes& sizes);

/// in_tiles() in the periodic box of the options. Reads the data once more. Blocks. `ranks` must outlive the answer.
/// @throws as in_tiles().
FileSearchResult in_box(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                        Communicator& ranks);

}  // namespace kann::flow
