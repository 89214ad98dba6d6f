// The header of a PLY file: the encoding, the elements and their properties.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table/columns.hpp"
#include "formats/table/read_request.hpp"

namespace kann::formats {

enum class PlyEncoding { ascii, binary_little_endian, binary_big_endian };

struct PlyProperty {
  std::string name;
  ScalarType type;                       ///< type of the value, or of a list's items
  std::optional<ScalarType> count_type;  ///< integer type of a list's count; none: it is no list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;  ///< as the header claims; the file may hold fewer
  std::vector<PlyProperty> properties;

  bool has_list() const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  std::size_t vertex = 0;               ///< index of the element named vertex
  std::vector<std::size_t> axes;        ///< indices of the coordinates among its properties
  std::vector<std::string> columns;     ///< as Cloud::columns: chosen, or not called x, y and z
  bool is_2d = false;                   ///< the header says so, and there was no choice
  std::vector<std::size_t> attributes;  ///< likewise, of the properties that are attributes; the reader sets them
  std::vector<std::string> comments;    ///< the text of each comment and obj_info
  std::size_t body = 0;                 ///< offset of the first byte after the header
  std::int64_t lines = 0;               ///< lines of the header
};

/// Limits on a header, so that a hostile one costs little time and memory. Real headers have hundreds of bytes and, in
/// the richest clouds, some hundred properties.
inline constexpr std::size_t k_ply_header_bytes = std::size_t{1} << 20;
inline constexpr std::size_t k_ply_properties = 4096;
inline constexpr std::size_t k_ply_elements = 256;

/// Parses the header at the front of `bytes`; `file` is its name in messages. The coordinates are the properties of
/// `options.columns`; without it the vertex element must have x, y and z, or others that named_axes() finds, or two
/// where the header has the line `comment dimensions 2` or `obj_info dimensions 2`, as a 2-D cloud has; a z is then not
/// read, as writers put one there for programs that need three. They must be scalars.
/// @throws Error bad_input, with the line.
PlyHeader parse_ply_header(std::string_view bytes, const std::string& file, const ReadRequest& options = {});

}  // namespace kann::formats
