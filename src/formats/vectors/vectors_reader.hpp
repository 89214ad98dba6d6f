// Arrays of float32 without names: fvecs, fbin and KITTI's frames, all little-endian. If no columns are chosen, vectors
// must have two or three numbers, which are a point.
#pragma once

#include <memory>

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// The vectors of an fvecs file (TEXMEX). Each is an int32, its dimension, and so many float32; all have one dimension,
/// which is checked when they are read.
/// @throws Error bad_input, with the byte; resources.
RowLayout fvecs_layout(std::shared_ptr<Input> input, const ReadRequest& options);

/// The vectors of an fbin file (big-ann): two uint32, the number of vectors and their dimension, then the float32.
/// Bytes after the last one are a warning.
/// @throws Error bad_input, with the byte; resources.
RowLayout fbin_layout(std::shared_ptr<Input> input, const ReadRequest& options);

/// The points of a KITTI frame (velodyne/000000.bin): x, y, z and reflectance as float32, without a header. Any file of
/// a multiple of 16 bytes is one. Columns can be attributes by these names; columns of fvecs and fbin have no names.
/// @throws Error bad_input, resources.
RowLayout kitti_layout(std::shared_ptr<Input> input, const ReadRequest& options);

}  // namespace kann::formats
