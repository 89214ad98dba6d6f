#include "formats/las/las_fields.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "formats/files/refusal.hpp"
#include "formats/las/las_vlrs.hpp"

namespace kann::formats {
namespace {

using enum ScalarType;

/// A flag or a small number within a byte.
LasField part(const char* name, std::size_t offset, unsigned shift, unsigned bits) {
  return {name, offset, uint8, shift, bits};
}

std::vector<LasField> fields_of_formats_0_to_5() {
  return {{"intensity", 12, uint16},
          part("return_number", 14, 0, 3),
          part("number_of_returns", 14, 3, 3),
          part("scan_direction_flag", 14, 6, 1),
          part("edge_of_flight_line", 14, 7, 1),
          part("classification", 15, 0, 5),
          part("synthetic", 15, 5, 1),
          part("key_point", 15, 6, 1),
          part("withheld", 15, 7, 1),
          {"scan_angle_rank", 16, int8},
          {"user_data", 17, uint8},
          {"point_source_id", 18, uint16}};
}

std::vector<LasField> fields_of_formats_6_to_10() {
  return {{"intensity", 12, uint16},
          part("return_number", 14, 0, 4),
          part("number_of_returns", 14, 4, 4),
          part("synthetic", 15, 0, 1),
          part("key_point", 15, 1, 1),
          part("withheld", 15, 2, 1),
          part("overlap", 15, 3, 1),
          part("scanner_channel", 15, 4, 2),
          part("scan_direction_flag", 15, 6, 1),
          part("edge_of_flight_line", 15, 7, 1),
          {"classification", 16, uint8},
          {"user_data", 17, uint8},
          {"scan_angle", 18, int16},
          {"point_source_id", 20, uint16},
          {"gps_time", 22, float64}};
}

constexpr std::array<ScalarType, 11> k_extra_types = {uint8, uint8,  int8,  uint16,  int16,  uint32,
                                                      int32, uint64, int64, float32, float64};

/// Appends the described extra bytes, which begin after those of the point format. Descriptions of more bytes than the
/// records have are not followed.
void append_extra_fields(std::vector<LasField>& fields, const LasHeader& header, std::string_view head) {
  for (const LasVlr& vlr : las_vlrs(head)) {
    if (!vlr.describes_extra_bytes()) continue;
    std::size_t offset = las_record_bytes(header.format);
    const std::size_t begin = vlr.begin + k_vlr_header_bytes;
    for (LasExtraField& extra : las_extra_fields(head.substr(begin, vlr.end - begin))) {
      if (extra.bytes == 0 || offset + extra.bytes > header.record) return;
      const bool is_scalar = extra.type > 0 && extra.type < static_cast<int>(k_extra_types.size());
      LasField field{std::move(extra.name), offset};
      if (is_scalar) field.stored = k_extra_types[static_cast<std::size_t>(extra.type)];
      field.is_scaled = extra.is_scaled;
      field.scale = extra.scale;
      field.shift_by = extra.offset;
      field.no_data = extra.no_data;
      if (!is_scalar) field.fault = extra.type == 0 ? "has no type" : "has several values per point";
      offset += extra.bytes;
      fields.push_back(std::move(field));
    }
    return;
  }
}

}  // namespace

LasParts las_parts(int point_format) {
  const auto has = [&](std::initializer_list<int> formats) { return std::ranges::count(formats, point_format) > 0; };
  LasParts parts;
  parts.end = point_format < 6 ? 20 : 30;
  if (point_format >= 6) parts.gps_time = 22;
  const auto append = [&](std::size_t& part, std::size_t bytes) { part = std::exchange(parts.end, parts.end + bytes); };
  if (has({1, 3, 4, 5})) append(parts.gps_time, 8);
  if (has({2, 3, 5, 7, 8, 10})) append(parts.colours, 6);
  if (has({8, 10})) append(parts.nir, 2);
  if (has({4, 5, 9, 10})) append(parts.waveform, 29);
  return parts;
}

int wider_las_format(int point_format, bool gps_time, bool colours, bool nir) {
  const LasParts now = las_parts(point_format);
  int widest = point_format;
  std::size_t bytes = static_cast<std::size_t>(-1);
  for (int format = point_format < 6 ? 0 : 6; format <= (point_format < 6 ? 5 : 10); ++format) {
    const LasParts parts = las_parts(format);
    const auto lacks = [](bool is_wanted, std::size_t old, std::size_t part) {
      return (is_wanted || old > 0) && part == 0;
    };
    if (lacks(gps_time, now.gps_time, parts.gps_time) || lacks(colours, now.colours, parts.colours) ||
        lacks(nir, now.nir, parts.nir) || lacks(false, now.waveform, parts.waveform) || parts.end >= bytes)
      continue;
    widest = format;
    bytes = parts.end;
  }
  return widest;
}

std::vector<LasField> las_standard_fields(int point_format) {
  std::vector<LasField> fields = point_format < 6 ? fields_of_formats_0_to_5() : fields_of_formats_6_to_10();
  const LasParts parts = las_parts(point_format);
  if (point_format < 6 && parts.gps_time > 0) fields.push_back({"gps_time", parts.gps_time, float64});
  if (parts.colours > 0)
    for (std::size_t c = 0; const char* const colour : {"red", "green", "blue"})
      fields.push_back({colour, parts.colours + 2 * c++, uint16});
  if (parts.nir > 0) fields.push_back({"nir", parts.nir, uint16});
  return fields;
}

LasField las_coordinate(const LasHeader& header, std::size_t axis) {
  LasField field{std::string(1, "xyz"[axis]), 4 * axis, int32};
  field.is_scaled = true;
  field.scale = header.scale[axis];
  field.shift_by = header.offset[axis];
  return field;
}

std::vector<LasField> las_fields(const LasHeader& header, std::string_view head) {
  std::vector<LasField> fields;
  for (std::size_t axis = 0; axis < 3; ++axis) fields.push_back(las_coordinate(header, axis));
  std::ranges::move(las_standard_fields(header.format), std::back_inserter(fields));
  append_extra_fields(fields, header, head);
  return fields;
}

}  // namespace kann::formats
