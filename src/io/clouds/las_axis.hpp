// An axis of a new LAS file: the integers of its coordinates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace kann::io {

/// The coordinates of an axis: at(i) is coordinate i of `count`; they are floats if `is_float`, else doubles.
struct LasCoordinates {
  std::function<double(std::int64_t)> at;
  std::int64_t count = 0;
  bool is_float = false;
  char axis = 'x';
};

struct LasAxis {
  double scale = 0.001, offset = 0;
  double minimum = 0, maximum = 0;  ///< as the file has them: scale · integer + offset

  /// The integer of a coordinate within the extent that the scale was chosen for.
  std::int32_t integer(double coordinate) const;
  double coordinate(std::int32_t integer) const { return integer * scale + offset; }
};

/// The offset is the minimum, rounded down. The scale is the coarsest power of ten, at most 0.001, whose integers give
/// all coordinates back: floats exactly, doubles up to 4 units in the last place of the largest. Where int32 does not
/// hold such integers, it is the finest power of ten whose integers int32 holds.
/// Example: 636000.12 and 636000.5 have offset 636000 and scale 0.001; 0.1f and 0.123456f have 0 and 0.000001.
/// @throws Error bad_input ("FILE: point 17: y is nan..."), also if they are too far apart.
LasAxis choose_las_axis(const LasCoordinates& coordinates, const std::string& file);

}  // namespace kann::io
