// An axis of a new LAS file: the integers of its coordinates.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace kann::formats {

/// Coordinates of an axis: at(i) is coordinate i of `count`.
struct LasCoordinates {
  std::function<double(std::int64_t)> at;
  std::int64_t count = 0;
};

struct LasAxis {
  double scale = 0.001, offset = 0;
  double minimum = 0, maximum = 0;  ///< as the file has them: scale · integer + offset

  /// The integer of a coordinate within the extent that the scale was chosen for.
  std::int32_t integer(double coordinate) const;
  double coordinate(std::int32_t integer) const { return integer * scale + offset; }
};

/// Chooses the offset and the scale of an axis. The offset is the minimum, rounded down. The scale is the coarsest
/// power of ten, at most 0.001, whose integers give all coordinates back: floats exactly, doubles up to 4 units in the
/// last place of the largest. Where int32 does not hold such integers, it is the finest power of ten whose integers
/// int32 holds. Example: 636000.12 and 636000.5 have offset 636000 and scale 0.001; 0.1f and 0.123456f have 0 and
/// 0.000001.
///
/// Pass all blocks of coordinates to extend(), then call choose_offset(), then pass them to refine(), in the same
/// order, again and again until is_chosen(). An axis without coordinates is 0 everywhere.
class LasAxisChoice {
 public:
  /// @param is_float whether the coordinates are floats, else doubles
  LasAxisChoice(char name, bool is_float) : name_(name), is_float_(is_float) {}

  void extend(const LasCoordinates& coordinates);

  /// @throws Error bad_input ("FILE: point 17: y is nan..."), also if they are too far apart.
  void choose_offset(const std::string& file);

  /// Makes the scale finer until these coordinates are given back.
  void refine(const LasCoordinates& coordinates);

  /// Whether the scale gives back all coordinates, or is the finest.
  bool is_chosen() const { return given_back_ >= count_; }

  LasAxis axis() const;

 private:
  bool holds_scale(int exponent) const;
  bool gives_back(const LasCoordinates& coordinates) const;

  const char name_;
  const bool is_float_;
  std::int64_t count_ = 0;
  std::optional<std::pair<std::int64_t, double>> not_finite_;  ///< number and coordinate of the first such point
  double minimum_ = std::numeric_limits<double>::infinity(), maximum_ = -minimum_;
  LasAxis axis_;
  int exponent_ = 0;             ///< the scale is this power of ten
  std::int64_t given_back_ = 0;  ///< the number of coordinates in a row that this scale gives back
};

}  // namespace kann::formats
