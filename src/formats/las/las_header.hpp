// The public header block of a LAS or LAZ file (ASPRS, versions 1.0 to 1.4): where the points are, and what their
// integers mean.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kann::formats {

struct LasHeader {
  std::uint64_t points = 0;        ///< as the header claims; the file may hold fewer
  std::size_t begin = 0;           ///< offset of the first point record
  int format = 0;                  ///< format of the point records, 0 to 10
  bool has_standard_time = false;  ///< whether GPS times are those minus 10⁹, not seconds of a week
  bool is_compressed = false;      ///< the file is LAZ: compressed records begin at `begin`
  std::size_t record = 0;          ///< bytes per point record; x, y and z are its first three int32
  std::array<double, 3> scale;     ///< a coordinate is scale · integer + offset
  std::array<double, 3> offset;
  bool has_waveforms = false;          ///< the file has waveforms, after the points
  std::uint64_t extended_begin = 0;    ///< offset of the extended variable length records, after the points
  std::uint32_t extended_records = 0;  ///< number of these; 0 before LAS 1.4

  /// Whether bytes after the points are accounted for.
  bool has_tail() const { return has_waveforms || extended_records > 0; }
};

/// Offsets of fields in the header block (ASPRS, LAS 1.4 R15, table 3).
/// In the byte of the point format, the bits that say whether the records are compressed, and how they are set if so.
inline constexpr unsigned k_compression_bits = 0xc0, k_compressed = 0x80;

namespace las_header {
inline constexpr std::size_t encoding = 6, major = 24, minor = 25, system = 26, software = 58, header_size = 94,
                             data = 96, vlr_count = 100, point_format = 104, record_size = 105, count_32 = 107,
                             returns_32 = 111, scale = 131, offset = 155, bounds = 179, waveforms = 227,
                             extended_begin = 235, extended_count = 243, count_64 = 247, returns_64 = 255;
}  // namespace las_header

/// The bytes of a record in point formats 0 to 10; records may have more.
std::size_t las_record_bytes(int point_format);

/// The largest header block, that of 1.4; readers need so many bytes of the file, or all of it.
inline constexpr std::size_t k_las_header_bytes = 375;

/// Parses the header at the front of `bytes`; `file` is its name in messages. Variable length records lie between it
/// and the points, and are not looked at.
/// @throws Error bad_input: no LAS, a version or point format that is not known, a header, record or offset that is too
///         short, counts that contradict each other, a scale of 0, a scale or offset that is not finite.
LasHeader parse_las_header(std::string_view bytes, const std::string& file);

}  // namespace kann::formats
