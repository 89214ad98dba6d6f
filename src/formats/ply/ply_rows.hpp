// The vertices of PLY files as ranges.
#pragma once

#include <memory>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/table/row_source.hpp"

namespace kann::formats {

/// Parses the header of a regular file. Reads as many bytes as a header may have, and one more, which shows whether it
/// is longer. Blocks. @throws as parse_ply_header() and Input::read_range().
PlyHeader ply_header_of(const Input& input, const ReadOptions& options);

/// All of the cloud but its rows, as the header of a regular file says it.
/// @throws Error bad_input, as chosen_attributes(), and where the file is too small for the header's counts.
Cloud ply_without_rows(PlyHeader header, const Input& input, const ReadOptions& options);

/// The cloud that read_ply() gives, as ranges of a regular file. Reads elements with lists to find where they end;
/// vertices with lists have no ranges. Blocks. @throws as read_ply().
RowCloud ply_rows(std::shared_ptr<Input> input, const ReadOptions& options);

}  // namespace kann::formats
