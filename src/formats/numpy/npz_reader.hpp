// Reads archives of NumPy arrays.
#pragma once

#include <memory>

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// The points of an archive that numpy.savez() or numpy.savez_compressed() has written: the array called points, else
/// that called xyz, else the only one that npy_layout() takes with these columns. A result of kann has none. Until it
/// is located, the layout is an estimate from the directory of the archive; locating it reads a stored array through,
/// for its CRC-32, or decompresses it. Compressed arrays have no ranges.
/// @throws Error bad_input, which names the arrays that there are; resources (memory). Arrays that would take much more
///         memory than the file has bytes are refused before it is allocated (check_expansion()).
RowLayout npz_layout(std::shared_ptr<Input> input, const ReadRequest& options);

}  // namespace kann::formats
