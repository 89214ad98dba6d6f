// The distance of SearchOptions::periodic: to the nearest image.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "geometry/distance.hpp"

namespace kann::detail {

using Position = std::array<double, 3>;  ///< the third coordinate is 0 in 2-D

class PeriodicBox {
 public:
  /// @param sides per axis; 0: the axis is not periodic
  explicit PeriodicBox(std::span<const double> sides) : dimensions_(static_cast<int>(sides.size())) {
    for (int a = 0; a < dimensions_; ++a) sides_[a] = sides[a];
  }

  int dimensions() const { return dimensions_; }
  double side(int axis) const { return sides_[axis]; }
  bool is_periodic(int axis) const { return sides_[axis] > 0; }

  /// From data point p to query q, per axis, to the nearest image.
  Position difference(const Position& q, const Position& p) const {
    Position out{};
    for (int a = 0; a < dimensions_; ++a) out[a] = nearest_image(q[a] - p[a], sides_[a]);
    return out;
  }

  double sq_dist(const Position& q, const Position& p) const {
    const Position d = difference(q, p);
    return geometry::sq_distance_3d(d[0], d[1], d[2]);
  }

 private:
  /// remainder(), which takes some 20 ns, is the number itself up to half a side.
  static double nearest_image(double difference, double side) {
    if (side == 0 || std::abs(difference) <= side / 2) return difference;
    return std::remainder(difference, side);
  }

  int dimensions_;
  std::array<double, 3> sides_{};
};

}  // namespace kann::detail
