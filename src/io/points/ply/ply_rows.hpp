// The vertices of PLY files as ranges.
#pragma once

#include <memory>

#include "kann/io.hpp"

#include "io/files/input.hpp"
#include "io/points/table/row_source.hpp"

namespace kann::io {

/// The points that read_ply() gives, of a regular file. Goes through elements with lists; vertices with lists cannot be
/// ranges. Blocks. @throws as read_ply().
RowCloud ply_rows(std::shared_ptr<Input> input, const ReadOptions& options);

}  // namespace kann::io
