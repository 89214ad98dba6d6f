// Reads PLY files.
#pragma once

#include <memory>

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// The vertices of a PLY file (Turk 1994): ASCII and both binary encodings, any scalar types, lists and other elements.
/// Every element is checked to its last row, the faces too: where they have lists, and in ASCII, when points are read.
/// Attributes are scalar properties of the vertices. Bytes after the last element are a warning. Vertices with lists
/// have no ranges in a binary file. Blocks.
/// @throws Error bad_input, with the line or byte.
RowLayout ply_layout(std::shared_ptr<Input> input, const ReadRequest& options);

}  // namespace kann::formats
