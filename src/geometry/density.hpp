// How many points there are per unit of volume.
#pragma once

#include <numbers>

namespace kann::geometry {

/// The density of `count` points in a ball (2-D: disc) of that radius.
inline double density_in_ball(double count, double radius, int dimensions) {
  return count / (dimensions == 3 ? 4.0 / 3.0 * std::numbers::pi * radius * radius * radius
                                  : std::numbers::pi * radius * radius);
}

}  // namespace kann::geometry
