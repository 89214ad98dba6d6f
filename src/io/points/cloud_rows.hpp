// Clouds that are read a part at a time: what does not fit in memory is read as often as it is needed.
#pragma once

#include <string>

#include "kann/io.hpp"

#include "io/points/table/row_source.hpp"

namespace kann::io {

/// Looks at all of a file that says where its points are, and whether read_points() would refuse it: the header of
/// binary formats, the lists of PLY, the whole of a text, whose rows are then known to be right. Without points in
/// ranges where they are compressed, or the vertices of PLY have lists, and where the file is no regular one;
/// attributes are none. Blocks.
/// @throws Error as read_points(), now, or in reading the points (vectors of other dimensions).
RowCloud open_rows(const std::string& path, const ReadOptions& options);

}  // namespace kann::io
