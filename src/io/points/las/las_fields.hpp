// The fields of LAS point records, by laspy's names: where each lies, and its values as attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"

#include "io/points/las/las_header.hpp"
#include "io/points/table/columns.hpp"

namespace kann::io {

struct LasField {
  std::string name;
  std::size_t offset = 0;                  ///< in the record
  ScalarType stored = ScalarType::uint16;  ///< type in the record
  unsigned shift = 0, bits = 0;            ///< if it is part of a byte: its lowest bit and its bits; 0: all
  bool is_scaled = false;                  ///< the value is scale · stored + offset, in double
  double scale = 1, shift_by = 0;
  std::string fault = {};  ///< why it is no attribute; empty if it is one

  ScalarType type() const { return is_scaled ? ScalarType::float64 : stored; }
};

/// The fields of point formats 0 to 10 without x, y and z and without those of waveform packets: intensity,
/// return_number, ... as laspy names them.
std::vector<LasField> las_standard_fields(int point_format);

/// The coordinates, scaled, the fields of the header's point format, and those that the variable length records in
/// `head` (all bytes before the first point) describe, as far as the records have such bytes.
std::vector<LasField> las_fields(const LasHeader& header, std::string_view head);

/// Copies the values of `count` records that begin at `bytes` to `values`, an array of the field's type, from index
/// `first` on.
void read_las_field(const LasField& field, const char* bytes, std::size_t stride, std::size_t count,
                    AttributeValues& values, std::size_t first);

}  // namespace kann::io
