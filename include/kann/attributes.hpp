// What a cloud has for each point besides its coordinates: intensity, colour, class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kann/array.hpp"

namespace kann {

/// One value per point, of the type that the file has.
using AttributeValues = std::variant<Array<std::int8_t>, Array<std::uint8_t>, Array<std::int16_t>, Array<std::uint16_t>,
                                     Array<std::int32_t>, Array<std::uint32_t>, Array<std::int64_t>,
                                     Array<std::uint64_t>, Array<float>, Array<double>>;

/// What the values of an attribute are, whatever its name. read_points() tells it by the name, in the words of the
/// programs that write clouds, and CloudFile::write() stores it as the readers of a format expect it.
/// - coordinate: what read_points() takes as x, y or z, and other columns with the name of a coordinate
/// - found: what a search found or made of its rows, such as nn_distance
/// - gps_time: of an unknown epoch; gps_week_time: seconds of the week; gps_standard_time: GPS seconds minus 10⁹
/// - scan_angle_rank: degrees; scan_angle: units of 0.006 degrees, as in the point formats 6 to 10 of LAS
/// - boolean: 1 is true, and 0 is false
/// - the others: colours, a normal vector and the fields of LAS by laspy's names
enum class Meaning : std::uint8_t {
  none,
  coordinate,
  found,
  red,
  green,
  blue,
  alpha,
  nir,
  nx,
  ny,
  nz,
  intensity,
  return_number,
  number_of_returns,
  scan_direction_flag,
  edge_of_flight_line,
  classification,
  synthetic,
  key_point,
  withheld,
  overlap,
  scanner_channel,
  scan_angle_rank,
  scan_angle,
  user_data,
  point_source_id,
  gps_time,
  gps_week_time,
  gps_standard_time,
  boolean
};

/// The texts of attributes. A value of such an attribute, an int64, says where in `bytes` its text is.
struct Texts {
  Array<char> bytes;
  std::int64_t count = 0;  ///< how many different ones there are, without the empty one, if they have been compared
  double row_bytes = 0;    ///< if not 0, every block of rows has texts of its own, of so many bytes per row

  static constexpr std::int64_t k_in_quotes = 1;     ///< two double quotes in a text are one of a cell
  static constexpr std::int64_t k_needs_quotes = 2;  ///< in a table, the text has to be in quotes

  /// The value of `size` bytes, less than 2²¹, from `begin` on, which is less than 2⁴⁰.
  static std::int64_t value_of(std::size_t begin, std::size_t size, std::int64_t flags) {
    return static_cast<std::int64_t>(begin << 23 | size << 2) | flags;
  }

  std::string_view at(std::int64_t value) const {
    return {bytes.data() + (value >> 23), static_cast<std::size_t>(value >> 2 & ((1 << 21) - 1))};
  }

  /// Appends a text. Returns its value; that of an empty one without flags is 0.
  std::int64_t add(std::string_view text, std::int64_t flags) {
    const std::size_t begin = text.empty() ? 0 : bytes.size();
    bytes.insert(bytes.end(), text.begin(), text.end());
    return value_of(begin, text.size(), flags);
  }
};

/// A property of PLY, a column of a table, a field of LAS.
struct Attribute {
  std::string name;
  AttributeValues values;
  Meaning meaning = Meaning::none;
  /// Set: the attribute is text, and its values, of type int64, are those of these texts: 0 for an empty one, and for
  /// that of a query without neighbours. Equal texts of an attribute that was asked for by name have the same value.
  std::shared_ptr<const Texts> texts = nullptr;
  /// Set: whole numbers that are this one stand for missing values. In floats, NaN does.
  std::optional<double> no_data = {};

  /// The same attribute with other values.
  Attribute with(AttributeValues others) const { return {name, std::move(others), meaning, texts, no_data}; }

  /// Whether a value of the attribute is a missing one.
  template <class T>
  bool is_missing(T value) const {
    return std::is_floating_point_v<T> ? value != value : no_data && static_cast<double>(value) == *no_data;
  }

  /// What stands for a missing value: NaN, no_data, or 0.
  template <class T>
  T missing() const {
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
    return static_cast<T>(no_data.value_or(0));
  }

  /// Number of points.
  std::int64_t size() const {
    return std::visit([](const auto& v) { return static_cast<std::int64_t>(v.size()); }, values);
  }

  /// Whether the values are whole numbers, such as those of texts.
  bool is_whole() const { return values.index() < std::variant_size_v<AttributeValues> - 2; }

  /// Value `i` as a double, which rounds whole numbers past 2⁵³.
  double at(std::int64_t i) const {
    return std::visit([i](const auto& v) { return static_cast<double>(v[static_cast<std::size_t>(i)]); }, values);
  }
};

/// The content of a LAS file, or of the one that a LAZ file is decompressed to, unchanged, so that another file can be
/// written with everything that this one has: bit fields, waveform packets, the coordinate system.
struct LasRecords {
  std::string head;  ///< all bytes before the first point record: header, variable length records
  std::size_t record_bytes = 0;
  Array<char> records;   ///< the point records, one after the other
  std::string extended;  ///< the extended variable length records after the points, except waveforms
  std::uint32_t extended_count = 0;
};

}  // namespace kann
