// The points of a PCD file, in each of its encodings.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kann/io.hpp"

#include "formats/files/byte_progress.hpp"
#include "formats/pcd/pcd_attributes.hpp"
#include "formats/pcd/pcd_header.hpp"
#include "formats/table/marked_rows.hpp"

namespace kann::formats {

struct PcdBody {
  Points points;
  std::vector<Attribute> attributes;
  std::size_t end = 0;  ///< offset in the file of the first byte after the last point
};

/// Checks that the `left` bytes after the header can hold the points in ASCII. @throws Error bad_input.
void check_pcd_ascii_size(const PcdHeader& header, std::size_t left, const std::string& file);

/// `bytes` is the whole file, `file` its name in messages. The size of the file bounds memory and time, whatever the
/// header claims. Values that are no coordinates are checked to be numbers. `progress`, if there is one, counts the
/// bytes that are parsed. @throws Error bad_input, with the line.
PcdBody read_pcd_ascii(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                       const std::string& file, ByteProgress* progress = nullptr);

/// The same as ranges of a regular file of a size that is checked; it is read through once, for the other checks.
/// `without_rows` is all of the cloud but its rows. Blocks. @throws Error bad_input, with the line.
RowCloud pcd_ascii_rows(const PcdHeader& header, const PcdAttributes& attributes, Cloud without_rows,
                        std::shared_ptr<Input> input, int threads);

/// Bytes that may follow the last point without a warning: old releases of PCL filled the last page of the file.
inline constexpr std::string_view k_pcd_blanks{" \t\r\n\0", 5};

inline constexpr std::size_t k_pcd_size_bytes = 8;  ///< of both sizes before compressed points

/// Checks that the `left` bytes after the header, which begin with `sizes`, can hold the points, and that the points
/// fit in memory.
/// @param sizes k_pcd_size_bytes bytes, or fewer where the file ends @throws Error bad_input; resources (memory).
void check_pcd_compressed_size(const PcdHeader& header, const PcdAttributes& attributes, std::string_view sizes,
                               std::size_t left, const std::string& file);

/// The body has two sizes of 32 bits, then LZF of all values of the first field, all of the second, and so on. If the
/// sizes are equal and the bytes are no LZF, they are the values themselves. @throws Error bad_input; resources
/// (memory).
PcdBody read_pcd_compressed(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                            const std::string& file);

}  // namespace kann::formats
