// What has to be known of all values of an attribute before the first one is written or drawn.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "kann/attributes.hpp"

namespace kann::formats {

/// The values of one attribute, or of several that belong together.
struct ValueRange {
  double least = std::numeric_limits<double>::infinity(), most = -least;  ///< of the finite ones
  bool are_finite = true, are_whole = true;                               ///< whether all are
  bool are_floats = false;                                                ///< whether there are any of such a type

  void add(const Attribute& attribute);
  void add(const ValueRange& other);
};

/// The value that means a full colour: 1 for floats of at most 1, 255 for numbers of at most 255, else 65,535, as in
/// LAS. None if values are less than 0 or more than that.
std::optional<double> full_scale(const ValueRange& channels);

/// The number of type T that is nearest to a value; for whole numbers, 0 if it is NaN.
template <class T>
T nearest_of(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    constexpr auto least = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double past = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
    const double rounded = std::nearbyint(value);
    if (std::isnan(rounded)) return 0;
    if (rounded < least) return std::numeric_limits<T>::min();
    return rounded >= past ? std::numeric_limits<T>::max() : static_cast<T>(rounded);
  }
}

}  // namespace kann::formats
