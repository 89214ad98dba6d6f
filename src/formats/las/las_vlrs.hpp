// The variable length records of a LAS file, one of which describes the extra bytes of the point records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kann::formats {

struct LasVlr {
  std::size_t begin = 0;  ///< offset in the file of its header
  std::size_t end = 0;    ///< offset in the file of the byte after its content
  std::string_view user;  ///< without the zeros that fill it
  std::uint16_t id = 0;

  bool describes_extra_bytes() const { return user == k_user && id == k_extra_bytes; }

  static constexpr std::string_view k_user = "LASF_Spec";
  static constexpr std::uint16_t k_extra_bytes = 4;
};

inline constexpr std::size_t k_vlr_header_bytes = 54;
inline constexpr std::size_t k_extra_bytes_bytes = 192;  // bytes of the description of one field

/// The records between the header and the points; `head` is all of a file before the first point, whose header
/// parse_las_header() has read. Ends before a record that does not lie in `head`.
std::vector<LasVlr> las_vlrs(std::string_view head);

/// Whether las_vlrs() has found as many as the header says.
bool has_all_vlrs(std::string_view head, const std::vector<LasVlr>& vlrs);

/// The header of an extended variable length record: these stand after the points, and their content may be longer than
/// 64 KiB (ASPRS, LAS 1.4 R15, section 2.7).
struct LasExtendedVlr {
  bool has_waveforms = false;
  std::uint64_t bytes = 0;  ///< bytes of the content, which follows the header
};

inline constexpr std::size_t k_extended_vlr_header_bytes = 60;

/// @param header k_extended_vlr_header_bytes bytes
LasExtendedVlr las_extended_vlr(std::string_view header);

/// A field of the extra bytes of a record, as it is described there.
struct LasExtraField {
  std::string name;
  int type = 0;  ///< number in the specification: 0 undocumented, 1 to 10 scalars (uint8 to double), more: arrays
  std::size_t bytes = 0;
  bool is_scaled = false;
  double scale = 1;
  double offset = 0;
  std::optional<double> no_data = {};  ///< the number, as it is stored, that stands for a missing value
};

/// The fields that the record `content` (without its header) describes.
std::vector<LasExtraField> las_extra_fields(std::string_view content);

}  // namespace kann::formats
