// A point in its place in an order.
#pragma once

#include <cstdint>

namespace kann::cuda {

/// Coordinates of a point and where it was placed from, its row in the input or its place in another order; read in one
/// load of 16 bytes. In 2-D z is 0, which changes no bit of a distance:
/// fma(0, 0, s) = s.
struct alignas(16) PlacedPoint {
  float x, y, z;
  std::uint32_t index;
};

}  // namespace kann::cuda
