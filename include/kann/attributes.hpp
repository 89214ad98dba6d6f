// What a cloud has for each point besides its coordinates: intensity, colour, class.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kann/array.hpp"

namespace kann {

/// One value per point, of the type that the file has.
using AttributeValues = std::variant<Array<std::int8_t>, Array<std::uint8_t>, Array<std::int16_t>, Array<std::uint16_t>,
                                     Array<std::int32_t>, Array<std::uint32_t>, Array<std::int64_t>,
                                     Array<std::uint64_t>, Array<float>, Array<double>>;

/// A property of PLY, a column of a table, a field of LAS.
struct Attribute {
  std::string name;
  AttributeValues values;
  /// Whether the attribute is a coordinate, which transfer_method() treats as a quantity even if all its values are
  /// whole numbers. read_points() sets it for the columns that it takes as x, y and z, whatever their names, and for
  /// columns with the name of a coordinate, such as the z of a cloud that is read as x and y.
  bool is_coordinate = false;
  /// Set: the attribute is text, and its values, of type int32, are numbers of these texts. Text 0 is empty, and is
  /// that of a query without neighbours; all others are different.
  std::shared_ptr<const std::deque<std::string>> texts = nullptr;

  /// Number of points.
  std::int64_t size() const {
    return std::visit([](const auto& v) { return static_cast<std::int64_t>(v.size()); }, values);
  }

  /// Whether the values are whole numbers, such as the numbers of texts.
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
