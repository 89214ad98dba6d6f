// The header of a PCD file (Point Cloud Library, versions 0.5 to 0.7): the fields of a point, their number and
// encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table/columns.hpp"
#include "formats/table/read_request.hpp"

namespace kann::formats {

enum class PcdEncoding { ascii, binary, binary_compressed };

struct PcdField {
  std::string name;
  std::string type_text;  ///< "F4", for messages
  ScalarType type = ScalarType::float32;
  std::uint64_t size = 0;    ///< bytes of one value
  std::uint64_t count = 1;   ///< values per point
  std::uint64_t offset = 0;  ///< where the first value begins in a point's bytes
  std::uint64_t word = 0;    ///< number of the first value among a point's words, in ASCII
};

struct PcdHeader {
  PcdEncoding encoding = PcdEncoding::ascii;
  std::vector<PcdField> fields;
  std::uint64_t points = 0;       ///< as the header claims; the file may hold fewer
  std::uint64_t point_bytes = 0;  ///< bytes of all fields of one point, at most k_pcd_point_bytes
  std::uint64_t point_words = 0;
  std::vector<std::size_t> axes;  ///< the fields of x, y and, in 3-D, z: one number each, of a type that is read
  std::size_t body = 0;           ///< offset of the first byte after the header
  std::int64_t lines = 0;         ///< lines of the header
};

/// Limits on a header, so that a hostile one costs little time and memory.
inline constexpr std::size_t k_pcd_header_bytes = std::size_t{1} << 16;
inline constexpr std::uint64_t k_pcd_point_bytes = std::uint64_t{1} << 24;

/// Parses the header at the front of `bytes`; `file` is its name in messages. The coordinates are the fields of
/// `options.columns`, without it those that named_axes() finds. A missing COUNT is 1 for every field,
/// a missing HEIGHT 1, and of WIDTH and POINTS one is enough; if all are there, width × height must be the number of
/// points.
/// @throws Error bad_input, with the line.
PcdHeader parse_pcd_header(std::string_view bytes, const std::string& file, const ReadRequest& options = {});

}  // namespace kann::formats
