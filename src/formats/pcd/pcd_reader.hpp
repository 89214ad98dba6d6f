// Reads PCD files, the format of the Point Cloud Library.
#pragma once

#include <memory>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/table/row_source.hpp"

namespace kann::formats {

/// The points of a PCD file: ascii, binary (little-endian) and binary_compressed, any types of fields. Organised clouds
/// are read row by row, with NaN where they have no point; VIEWPOINT moves nothing. Bytes after the last point are a
/// warning. The coordinates are those of parse_pcd_header(); float32 if that holds every value of their types.
/// Attributes are as choose_pcd_attributes() says. Blocks.
/// @throws Error bad_input, with the line where there is one; resources.
Cloud read_pcd(std::shared_ptr<Input> input, const ReadOptions& options = {});

/// All of the cloud but its rows, as the header of a regular file says it.
/// @throws as read_pcd(), of what is wrong with the header, also in a file of this size.
Cloud pcd_without_rows(const Input& input, const ReadOptions& options);

/// The same cloud, as ranges of a regular file; binary_compressed has no ranges. Blocks. @throws as read_pcd().
RowCloud pcd_rows(std::shared_ptr<Input> input, const ReadOptions& options);

}  // namespace kann::formats
