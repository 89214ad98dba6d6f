// What is written before the first point of a LAS file: the header with its counts and bounds, and the description of
// the extra bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kann/attributes.hpp"

namespace kann::formats {

/// A scalar in the extra bytes of a record.
struct LasExtra {
  std::string name;                    ///< at most 32 bytes; no other field has it
  int type = 0;                        ///< its number in the specification: 1 to 10, uint8 to double
  std::optional<double> no_data = {};  ///< as Attribute::no_data
};

/// The specification's number for the type of these values.
int las_type_of(const AttributeValues& values);

/// The number of points of each return, 1 to 15; points with other return numbers are not counted.
using LasReturns = std::array<std::uint64_t, 15>;

/// What the header says about the points.
struct LasSummary {
  std::uint64_t points = 0;
  LasReturns by_return{};
  std::array<double, 3> minimum{}, maximum{};
  std::optional<bool> has_standard_time =
      {};  ///< whether GPS times are those minus 10⁹, not of a week, if they are new
};

/// The header of LAS 1.4, with one record that describes `extra` if there are any.
/// @throws Error bad_input (too many extra fields).
std::string new_las_head(int point_format, std::size_t record_bytes, const std::array<double, 3>& scale,
                         const std::array<double, 3>& offset, const LasSummary& summary,
                         std::span<const LasExtra> extra, const std::string& file);

/// The head of a file whose records have another point format and `record_bytes` bytes each.
std::string las_head_of_format(const std::string& head, int point_format, std::size_t record_bytes);

/// The head of a file whose records get `extra` at their end, and then have `record_bytes` bytes each. Its description
/// of the extra bytes is extended, or a new one added; it also describes bytes that nothing has described. Counts and
/// bounds are those of `summary`. After the points, `extended_records` extended variable length records follow, and
/// nothing else.
/// @throws Error bad_input (its variable length records are not whole, the counts do not fit, extra bytes are too
/// many).
std::string extended_las_head(const std::string& head, std::size_t record_bytes, const LasSummary& summary,
                              std::span<const LasExtra> extra, std::uint32_t extended_records, const std::string& file);

}  // namespace kann::formats
