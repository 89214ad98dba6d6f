// Whether a neighbour is within SearchOptions::radius.
#pragma once

#include <array>

#include "geometry/distance.hpp"

namespace kann::geometry {

/// Whether points are within a radius: d² ≤ R², both in float64, R² rounded as d² is, so that a point at distance R
/// along an axis is within. Below 2⁻⁴⁰⁰ both are squares of numbers times 2⁶⁰⁰, since those of the numbers themselves
/// would vanish: 1e-300² is 0, and so is 1e-200². R² may be infinite; no d² is, as checked by problem::prepare().
class WithinRadius {
 public:
  explicit WithinRadius(double radius)
      : scale_(radius < 0x1p-400 ? 0x1p600 : 1), sq_radius_(radius * scale_ * (radius * scale_)) {}

  /// @param difference the difference of the coordinates as given, per axis; the third is 0 in 2-D
  bool operator()(const std::array<double, 3>& difference) const {
    return sq_distance_3d(difference[0] * scale_, difference[1] * scale_, difference[2] * scale_) <= sq_radius_;
  }

  /// An upper bound on the squared distances, as sq_distance() rounds them, of points within the radius.
  double sq_bound() const { return scale_ == 1 ? sq_radius_ : 0x1p-800; }

 private:
  double scale_, sq_radius_;
};

}  // namespace kann::geometry
