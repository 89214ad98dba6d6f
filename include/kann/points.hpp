// A point cloud as its file holds it: float32 or float64 coordinates, two or three to a point.
#pragma once

#include <cstdint>
#include <variant>

#include "kann/array.hpp"

namespace kann {

/// A cloud of `size()` points, row-major: point i is at coordinates[i·dimensions] and the `dimensions − 1` after it.
/// The coordinates keep the type of their source, so that map coordinates lose nothing before the common origin is
/// subtracted (in double, by the search).
struct Points {
  int dimensions = 3;  ///< 2 or 3
  std::variant<Array<float>, Array<double>> coordinates;

  /// Number of points.
  std::int64_t size() const {
    return std::visit([this](const auto& c) { return static_cast<std::int64_t>(c.size()) / dimensions; }, coordinates);
  }

  /// Coordinate `axis` of point `i`, in double, whatever the storage.
  double at(std::int64_t i, int axis) const {
    return std::visit([&](const auto& c) { return static_cast<double>(c[i * dimensions + axis]); }, coordinates);
  }
};

}  // namespace kann
