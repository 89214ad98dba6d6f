// Reads files that hold nothing but coordinates, in the layout of Points, directly into its array.
//
// 100 MB take 0.02 s on two cores; through a buffer they take 0.09 s, most of it page faults. Every other file is left
// to the strict readers, which also report what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/io.hpp"
#include "kann/points.hpp"

#include "formats/files/input.hpp"
#include "formats/table/columns.hpp"

namespace kann::formats {

/// Where such a file holds its coordinates: row-major, in this machine's byte order.
struct PlainRows {
  std::size_t begin = 0;  ///< offset of the first coordinate
  std::uint64_t rows = 0;
  int dimensions = 3;
  ScalarType type = ScalarType::float32;  ///< or float64
  std::vector<std::string> columns = {};  ///< as in Cloud
};

/// The rows of a PLY file that begins with `head`. Nothing if it is not binary, has
/// other properties or elements, or would be refused by read_ply().
std::optional<PlainRows> plain_ply_rows(std::string_view head, const std::string& file,
                                        const ReadOptions& options = {});

/// Reads the rows on up to `threads` threads, as in base::copy_threads(); blocks. Returns nothing, and allocates
/// nothing, unless `input` is a regular file that ends with the last row.
/// @throws Error bad_input (read error, the file shrank), resources (memory).
std::optional<Points> read_plain(Input& input, const PlainRows& rows, int threads = 0);

}  // namespace kann::formats
