// The coordinates of both clouds as given, in double, and the squared distance that defines the exact answer.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>

#include "kann/points.hpp"

namespace kann::accuracy {

/// d² = fma(dz, dz, fma(dy, dy, dx·dx)) between two points of D coordinates, from float64 differences.
template <int D>
double sq_distance(const double* p, const double* q) {
  const double dx = p[0] - q[0], dy = p[1] - q[1];
  const double sum = std::fma(dy, dy, dx * dx);
  if constexpr (D == 2) return sum;
  const double dz = p[2] - q[2];
  return std::fma(dz, dz, sum);
}
inline double sq_distance(const double* p, const double* q, int dimensions) {
  return dimensions == 2 ? sq_distance<2>(p, q) : sq_distance<3>(p, q);
}

/// A view of the coordinates of a cloud, multiplied by a power of two.
class Coordinates {
 public:
  Coordinates(const PointsView& points, double scale) : dimensions_(points.dimensions), scale_(scale) {
    if (const auto* floats = std::get_if<std::span<const float>>(&points.coordinates))
      floats_ = floats->data();
    else
      doubles_ = std::get<std::span<const double>>(points.coordinates).data();
  }

  int dimensions() const { return dimensions_; }

  double at(std::int64_t i, int axis) const {
    const std::int64_t place = i * dimensions_ + axis;
    return (floats_ ? static_cast<double>(floats_[place]) : doubles_[place]) * scale_;
  }

  /// The coordinates of point `i`; the third is 0 in 2-D.
  std::array<double, 3> operator[](std::int64_t i) const {
    return {at(i, 0), at(i, 1), dimensions_ == 3 ? at(i, 2) : 0.0};
  }

  bool is_finite(std::int64_t i) const {
    for (int a = 0; a < dimensions_; ++a)
      if (!std::isfinite(at(i, a))) return false;
    return true;
  }

 private:
  int dimensions_;
  double scale_;
  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
};

/// What one pass over a cloud finds out about its valid points.
struct Extent {
  std::array<double, 3> lo, hi;
  bool is_float32 = true;  ///< every coordinate is a float32
  std::int64_t valid = 0;  ///< points with finite coordinates

  /// The box of no points; its lower corner is above its upper one.
  Extent();

  Extent scaled(double factor) const;
};
Extent measure(const PointsView& points);

/// The extent of both clouds, which have the same dimensions.
Extent joined(const Extent& a, const Extent& b);

/// The longest side of the box; infinite if it exceeds double; 0 without points.
double width(const Extent& extent, int dimensions);

/// The power of two that brings the longest side of the box of both clouds near 2⁵⁰⁹, which rounds no difference and no
/// distance. Then no d² overflows, and only distances below 2⁻¹⁰⁰⁰ of that side have an inexact or vanishing square.
/// (Without the scale, distances below 10⁻¹⁴⁶ have one, and clouds wider than 10¹⁵³ overflow.) The factor is smaller if
/// a coordinate itself is more than 2⁵¹¹ times that side, which happens only if all coordinates of an axis are that far
/// from 0.
double choose_scale(const Extent& both, int dimensions);

}  // namespace kann::accuracy
