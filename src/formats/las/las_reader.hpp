// Reads LAS files, and LAZ, which is compressed LAS.
#pragma once

#include <memory>

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// The points of a LAS or LAZ file (versions 1.0 to 1.4, point formats 0 to 10, records of any length) as float64:
/// scale · integer + offset, each rounded once, which are the coordinates that laspy gives. `columns` may choose among
/// x, y and z, e.g. x and y for a 2-D cloud. Bytes after the last point are a warning, unless the header says that
/// waveforms or extended records follow. Attributes are las_fields(). LAZ has no ranges if its points are compressed in
/// one piece. Blocks.
/// @throws Error bad_input, resources.
RowLayout las_layout(std::shared_ptr<Input> input, const ReadRequest& options);

}  // namespace kann::formats
