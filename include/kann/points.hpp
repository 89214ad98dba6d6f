// A point cloud: float32 or float64 coordinates, two or three per point.
#pragma once

#include <cstdint>
#include <variant>

#include "kann/array.hpp"

namespace kann {

/// `size()` × `dimensions` coordinates, row-major: those of point i begin at coordinates[i·dimensions]. They keep the
/// type of their file: map coordinates would lose digits in float32 before the search subtracts its origin, in double.
struct Points {
  int dimensions = 3;  ///< 2 or 3
  std::variant<Array<float>, Array<double>> coordinates;

  /// Number of points.
  std::int64_t size() const {
    return std::visit([this](const auto& c) { return static_cast<std::int64_t>(c.size()) / dimensions; }, coordinates);
  }

  /// Coordinate `axis` of point `i` as a double, whatever the type of the storage.
  double at(std::int64_t i, int axis) const {
    return std::visit([&](const auto& c) { return static_cast<double>(c[i * dimensions + axis]); }, coordinates);
  }
};

}  // namespace kann
