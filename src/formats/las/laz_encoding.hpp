// How the points of a LAZ file are compressed: the variable length record of LASzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/las/las_header.hpp"
#include "formats/las/las_vlrs.hpp"

namespace kann::formats {

/// A part of the point record, which is compressed by itself.
struct LazItem {
  std::uint16_t type = 0;  ///< LASzip's number
  std::uint16_t bytes = 0;
  std::uint16_t version = 0;
};

struct LazEncoding {
  /// LASzip's numbers. pointwise: all points in one piece; chunked: in chunks that begin anew, with a table of their
  /// sizes; layered: the same for point formats from 6 on, each field of a chunk by itself.
  enum Compressor : std::uint16_t { pointwise = 1, chunked = 2, layered = 3 };

  Compressor compressor = chunked;
  std::uint32_t chunk_points = 0;  ///< of every chunk but the last; k_any_points: as many as the chunk says
  std::vector<LazItem> items;

  static constexpr std::uint32_t k_any_points = 0xffffffff;

  /// The number of sizes that a chunk begins with, after its first point and the number of its points.
  std::size_t layers() const;
};

/// Whether this is the record of LASzip.
bool is_laszip_vlr(const LasVlr& vlr);

/// @param head all bytes before the points
/// @throws Error bad_input: no record of LASzip, an unknown compressor, or items that are not those of the point
/// format.
LazEncoding parse_laz_encoding(const LasHeader& header, std::string_view head, const std::string& file);

/// A head that says no more than how the points are compressed, in chunks of `chunk_points`: the library is given this
/// one, and never that of the file.
std::string plain_laz_head(const LasHeader& header, const LazEncoding& encoding, std::uint32_t chunk_points);

/// The head of the LAS file with the same points: without the record of LASzip.
std::string decompressed_head(std::string head);

/// The head of a LAZ file with the same points: with the record of LASzip that `described` has, the head of another.
std::string compressed_head(std::string head, std::string_view described, const std::string& file);

}  // namespace kann::formats
