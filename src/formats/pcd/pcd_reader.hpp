// Reads PCD files, the format of the Point Cloud Library.
#pragma once

#include <memory>

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// The points of a PCD file: ascii, binary (little-endian) and binary_compressed, any types of fields. Organised clouds
/// are read row by row, with NaN where they have no point; VIEWPOINT moves nothing. Bytes after the last point are a
/// warning. The coordinates are those of parse_pcd_header(); float32 if that holds every value of their types.
/// Attributes are as choose_pcd_attributes() says. binary_compressed has no ranges. Blocks.
/// @throws Error bad_input, with the line where there is one; resources.
RowLayout pcd_layout(std::shared_ptr<Input> input, const ReadRequest& options);

}  // namespace kann::formats
