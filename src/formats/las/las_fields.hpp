// The fields of LAS point records, by laspy's names, and where each lies.
#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/las/las_header.hpp"
#include "formats/table/fixed_rows.hpp"

namespace kann::formats {

struct LasField {
  std::string name;
  std::size_t offset = 0;                  ///< in the record
  ScalarType stored = ScalarType::uint16;  ///< type in the record
  unsigned shift = 0, bits = 0;            ///< if it is part of a byte: its lowest bit and its bits; 0: all
  bool is_scaled = false;                  ///< the value is scale · stored + offset, in double
  double scale = 1, shift_by = 0;
  std::string fault = {};              ///< why it is no attribute; empty if it is one
  std::optional<double> no_data = {};  ///< the stored number that stands for a missing value

  /// Whether the values have NaN in the place of no_data.
  bool has_nan() const { return no_data && (is_scaled || is_floating(stored)); }

  RowField in_row() const {
    return {stored, offset,   std::endian::little,
            shift,  bits,     is_scaled,
            scale,  shift_by, has_nan() ? no_data : std::nullopt};
  }
};

/// Where the parts that only some point formats have begin in their records, in this order; 0 where there is none.
struct LasParts {
  std::size_t gps_time = 0, colours = 0, nir = 0, waveform = 0;
  std::size_t end = 0;  ///< bytes of the record
};
LasParts las_parts(int point_format);

/// The shortest point format with the parts of `point_format` and the others that are wanted; `point_format` if there
/// is none. Formats 0 to 5 and 6 to 10 are apart.
int wider_las_format(int point_format, bool gps_time, bool colours, bool nir);

/// The fields of point formats 0 to 10 without x, y and z and without those of waveform packets: intensity,
/// return_number, ... as laspy names them.
std::vector<LasField> las_standard_fields(int point_format);

/// The field of x, y or z (`axis` 0, 1 or 2), scaled.
LasField las_coordinate(const LasHeader& header, std::size_t axis);

/// The coordinates, the fields of the header's point format, and those that the variable length records in
/// `head` (all bytes before the first point) describe, as far as the records have such bytes.
std::vector<LasField> las_fields(const LasHeader& header, std::string_view head);

}  // namespace kann::formats
