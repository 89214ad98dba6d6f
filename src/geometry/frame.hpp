// The frame of a search: where float32 holds the coordinates of its points.
#pragma once

#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Coordinate x in the frame: (x − origin) · scale in double, rounded to float32, and limited to its range.
/// E.g. x = 3, origin = 1, scale = 0.5 → 1.
KANN_HOST_DEVICE float to_frame(double x, double origin, double scale) {
  constexpr double largest = 0x1.fffffep127;  // the largest finite float32
  const double moved = (x - origin) * scale;
  return static_cast<float>(moved < -largest ? -largest : moved > largest ? largest : moved);
}

}  // namespace kann::geometry
