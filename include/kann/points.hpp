// A point cloud: float32 or float64 coordinates, two or three per point.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "kann/array.hpp"

namespace kann {

/// `size()` × `dimensions` coordinates, row-major: point i begins at coordinates[i·dimensions]. They keep the type of
/// their file: map coordinates would lose digits in float32 before the search subtracts its origin, in double.
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

/// A cloud in memory of the caller: nothing is copied. Valid as long as that memory is.
struct PointsView {
  int dimensions = 3;  ///< 2 or 3
  std::variant<std::span<const float>, std::span<const double>> coordinates;

  PointsView() = default;
  PointsView(int dimension_count, std::span<const float> values) : dimensions(dimension_count), coordinates(values) {}
  PointsView(int dimension_count, std::span<const double> values) : dimensions(dimension_count), coordinates(values) {}
  PointsView(const Points& points) : dimensions(points.dimensions) {
    std::visit([this](const auto& c) { coordinates = std::span(c.data(), c.size()); }, points.coordinates);
  }

  std::int64_t size() const {
    return std::visit([this](const auto& c) { return static_cast<std::int64_t>(c.size()) / dimensions; }, coordinates);
  }
  double at(std::int64_t i, int axis) const {
    return std::visit(
        [&](const auto& c) { return static_cast<double>(c[static_cast<std::size_t>(i * dimensions + axis)]); },
        coordinates);
  }

  /// Whether all coordinates of point `i` are finite.
  bool is_finite(std::int64_t i) const {
    bool finite = true;
    for (int a = 0; a < dimensions; ++a) finite &= std::isfinite(at(i, a));
    return finite;
  }

  /// Points [begin, end) of the cloud.
  PointsView part(std::int64_t begin, std::int64_t end) const {
    const auto d = static_cast<std::size_t>(dimensions);
    return std::visit(
        [&](const auto& c) {
          return PointsView(dimensions,
                            c.subspan(static_cast<std::size_t>(begin) * d, static_cast<std::size_t>(end - begin) * d));
        },
        coordinates);
  }
};

}  // namespace kann
