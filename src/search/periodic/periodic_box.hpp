// The distance of SearchOptions::periodic: to the nearest image.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "kann/points.hpp"

#include "geometry/distance.hpp"

namespace kann::detail {

using Position = std::array<double, 3>;  ///< the third coordinate is 0 in 2-D

inline Position position_of(const PointsView& points, std::int64_t i) {
  return {points.at(i, 0), points.at(i, 1), points.dimensions == 3 ? points.at(i, 2) : 0.0};
}

/// A periodic box. A search in it can be made of ordinary searches, since the definition rounds only the images of a
/// query: the distance in the box is, bit for bit, the smallest of the ordinary distances from the query's images.
/// Queries and data points are where a Placement puts them, less than 1.5 sides apart.
class PeriodicBox {
 public:
  /// @param sides per axis; 0: the axis is not periodic
  explicit PeriodicBox(std::span<const double> sides) : dimensions_(static_cast<int>(sides.size())) {
    for (int a = 0; a < dimensions_; ++a) sides_[a] = sides[a];
  }

  int dimensions() const { return dimensions_; }
  double side(int axis) const { return sides_[axis]; }
  bool is_periodic(int axis) const { return sides_[axis] > 0; }

  /// Whether a point may be within this squared distance of two images of a query: these are a side apart.
  bool may_repeat(double sq_radius) const {
    constexpr double above_four = 4.01;  // by far more than what is rounded
    bool may = false;
    for (const double side : sides_) may |= side > 0 && !(above_four * sq_radius < side * side);
    return may;
  }

  /// The difference, per axis, from data point p to the nearest image of query q.
  Position difference(const Position& q, const Position& p) const {
    Position nearest{};
    for (int a = 0; a < dimensions_; ++a) {
      nearest[a] = q[a] - p[a];
      if (!is_periodic(a)) continue;
      for (const double image : {q[a] - sides_[a], q[a] + sides_[a]})
        if (std::abs(image - p[a]) < std::abs(nearest[a])) nearest[a] = image - p[a];
    }
    return nearest;
  }

  double sq_dist(const Position& q, const Position& p) const {
    const Position d = difference(q, p);
    return geometry::sq_distance_3d(d[0], d[1], d[2]);
  }

 private:
  int dimensions_;
  std::array<double, 3> sides_{};
};

}  // namespace kann::detail
