// Clouds whose file holds the coordinates as memory shall: read to where they belong, without a copy.
//
// 100 MB take 0.02 s this way on two cores, and 0.09 s by way of a buffer, most of it page faults; the strict readers
// stay the ones that judge everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kann/points.hpp"

#include "io/files/input.hpp"
#include "io/points/columns.hpp"

namespace kann::io {

/// Row-major coordinates, one after the other, in this machine's byte order.
struct PlainRows {
  std::size_t begin = 0;  ///< offset of the first coordinate
  std::uint64_t rows = 0;
  int dimensions = 3;
  ScalarType type = ScalarType::float32;  ///< or float64
};

/// The rows of a binary PLY file that begins with `head` and holds coordinates alone, if it is one; nothing for what
/// has other properties or elements, and for what the reader of PLY would refuse.
std::optional<PlainRows> plain_ply_rows(std::string_view head, const std::string& file);

/// The same for an NPY file.
std::optional<PlainRows> plain_npy_rows(std::string_view head, const std::string& file);

/// Reads the rows, with a few threads; blocks. Nothing unless `input` is a regular file that ends with the last row:
/// then no memory was taken, and the general reader says what there is to say.
/// @throws Error bad_input (read error, the file shrank), resources (memory).
std::optional<Points> read_plain(Input& input, const PlainRows& rows, int threads = 0);

}  // namespace kann::io
