// Whether a neighbour is within SearchOptions::radius.
#pragma once

#include <array>
#include <limits>

#include "geometry/distance.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// Whether points are within a radius: d² ≤ R², both in float64, R² rounded as d² is, so that a point at distance R
/// along an axis is within. Below 2⁻⁴⁰⁰ both are squares of numbers times 2⁶⁰⁰, since those of the numbers themselves
/// would vanish: 1e-300² is 0, and so is 1e-200². R² may be infinite; no d² is, as checked by problem::prepare().
class WithinRadius {
 public:
  explicit WithinRadius(double radius)
      : scale_(radius < 0x1p-400 ? 0x1p600 : 1), sq_radius_(radius * scale_ * (radius * scale_)) {}

  /// The differences are those of the coordinates as given, per axis; the third is 0 in 2-D.
  KANN_HOST_DEVICE bool operator()(double dx, double dy, double dz) const {
    return sq_distance_3d(dx * scale_, dy * scale_, dz * scale_) <= sq_radius_;
  }
  bool operator()(const std::array<double, 3>& difference) const {
    return (*this)(difference[0], difference[1], difference[2]);
  }

  /// Whether points are at least as far apart: d² ≥ R².
  bool is_reached(const std::array<double, 3>& d) const {
    return sq_distance_3d(d[0] * scale_, d[1] * scale_, d[2] * scale_) >= sq_radius_;
  }

  /// Whether both sides of the comparison are scaled, so that sq_bound() alone does not decide.
  KANN_HOST_DEVICE bool is_scaled() const { return scale_ != 1; }

  /// An upper bound on the squared distances, as sq_distance() rounds them, of points within the radius.
  KANN_HOST_DEVICE double sq_bound() const { return scale_ == 1 ? sq_radius_ : 0x1p-800; }

 private:
  double scale_, sq_radius_;
};

/// Bounds below and above which a distance alone, as an exact answer has it, decides whether a neighbour is within a
/// radius. It is the root of d², with a relative rounding error of less than 2⁻²³ unless it is near the ends of the
/// range of float32. Without a radius, no distance decides.
struct DecidedDistances {
  double within = -1, beyond = std::numeric_limits<double>::infinity();

  DecidedDistances() = default;
  explicit DecidedDistances(double radius) {
    if (!(radius >= 0x1p-100 && radius <= 0x1p120)) return;
    within = radius * (1 - 0x1p-20);
    beyond = radius * (1 + 0x1p-20);
  }
};

}  // namespace kann::geometry
