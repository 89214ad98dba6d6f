// Reads archives of NumPy arrays.
#pragma once

#include <cstdint>
#include <memory>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/table/row_source.hpp"

namespace kann::formats {

/// The points of an archive that numpy.savez() or numpy.savez_compressed() has written: the array called points, else
/// that called xyz, else the only one that npy_layout() takes with these columns. A result of kann has none.
/// @throws Error bad_input, which names the arrays that there are; resources (memory). Arrays that would take much more
///         memory than the file has bytes are refused before it is allocated (check_expansion()).
Cloud read_npz(std::shared_ptr<Input> input, const ReadOptions& options);

/// The same cloud, as ranges, if arrays are stored; the array is read through for its CRC-32. Blocks.
/// @throws as read_npz().
RowCloud npz_rows(std::shared_ptr<Input> input, const ReadOptions& options);

/// What the directory of an archive says of the array that read_npz() reads, or of the largest that it may read.
struct NpzSize {
  std::uint64_t array = 0;         ///< bytes
  std::uint64_t decompressed = 0;  ///< bytes, if it is compressed; 0: it is stored
};

/// Looks at the directory of a regular file. Counts no more than read_npz() decompresses. @throws Error bad_input.
NpzSize npz_size(std::shared_ptr<Input> input);

}  // namespace kann::formats
