// The distance that a row must contain for a neighbour: bit for bit in an exact row, within the errors of float32 in a
// row of the shifted sort.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kann/sky.hpp"

#include "products/accuracy/coordinates.hpp"
#include "products/accuracy/distinct_points.hpp"

namespace kann::accuracy {

/// The float32 nearest to the square root of `sq_dist`, times `unit` (a power of two): one rounding, to nearest, ties
/// to even. Infinite if the result exceeds float32.
float rounded_root(double sq_dist, double unit);

/// How distances are written.
struct WrittenUnit {
  double length = 1;             ///< a scaled length of 1 is this long in the units of the input: a power of two
  std::optional<AngleUnit> sky;  ///< points are on the unit sphere, and distances are great-circle, in this unit

  /// What a row must contain for a neighbour at a scaled d².
  float operator()(double sq_dist) const {
    return sky ? static_cast<float>(sphere_distance(sq_dist * length * length, *sky)) : rounded_root(sq_dist, length);
  }
};

/// Where most points are.
struct Middle {
  std::array<double, 3> at{};  ///< the median of each axis
  double spread = 0;           ///< the longest distance from the 1st to the 99th percentile of an axis

  Middle scaled(double factor) const { return {{at[0] * factor, at[1] * factor, at[2] * factor}, spread * factor}; }
};

/// Computes the middle from some 4,000 points. They must be distinct, as a scan may hold (0, 0, 0) for most of its
/// returns.
Middle measure_middle(const DistinctPoints& points, int dimensions);

/// How far the distance in a row of the shifted sort may be from the true one, since its arithmetic is float32. All
/// lengths are in scaled units.
class FloatErrors {
 public:
  /// @param middle the middle of the data, scaled
  FloatErrors(const Extent& data, const Extent& queries, const Middle& middle, int dimensions, double scale);

  /// The largest error for a query and a point that are `distance` apart.
  double bound(const double* query, const double* point, double distance) const;

 private:
  double off_origin(const double* point) const;

  int dimensions_;
  double underflow_ = 0;  ///< error if the square of a distance underflows, or the distance is written as a subnormal

  // Zero unless a coordinate is not a float32; then coordinates are rounded after an origin is subtracted.
  double rounding_ = 0;             ///< error of a distance, relative to the distances of the points from the origin
  bool from_zero_ = false;          ///< the origin may be 0
  std::array<double, 3> middle_{};  ///< the middle of the data
  double spread_ = 0;               ///< bound on the distance per axis from `middle_` to the origin
};

}  // namespace kann::accuracy
