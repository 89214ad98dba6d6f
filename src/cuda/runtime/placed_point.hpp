// A point in an order.
#pragma once

#include <cstdint>

#include "geometry/host_device.hpp"

namespace kann::cuda {

/// The coordinates of a point, and its row in the input or its place in the order that this one was made from. Read in
/// one load of 16 bytes. In 2-D z is 0, which changes no bit of a distance: fma(0, 0, s) = s.
struct alignas(16) PlacedPoint {
  float x, y, z;
  std::uint32_t index;
};

/// The coordinates of a point as they were given, and its row. Used if they differ from those of PlacedPoint. Read in
/// two loads of 16 bytes.
struct alignas(32) GivenPoint {
  double x, y, z;
  std::uint32_t index;
};

/// The coordinates as an array.
template <class Real>
struct Coordinates {
  Real axis[3];
};

KANN_HOST_DEVICE Coordinates<float> coordinates_of(const PlacedPoint& p) { return {{p.x, p.y, p.z}}; }
KANN_HOST_DEVICE Coordinates<double> coordinates_of(const GivenPoint& p) { return {{p.x, p.y, p.z}}; }

}  // namespace kann::cuda
