#include "products/accuracy/radius.hpp"

#include <cmath>

namespace kann::accuracy {

// If the radius R is below 2⁻⁴⁰⁰, R² may be subnormal or 0. Everything is then multiplied by 2⁶⁰⁰: no difference is
// lost, and one that overflows is far beyond the radius.
Radius::Radius(std::optional<double> radius, const PointsView& data, const PointsView& queries,
               const PeriodicCell& cell, double scale)
    : is_limited_(radius.has_value()), data_(data, 1), queries_(queries, 1), cell_(cell) {
  if (!radius) return;
  scaled_sq_radius_ = *radius * scale * (*radius * scale);
  if (*radius < std::ldexp(1.0, -400)) factor_ = std::ldexp(1.0, 600);
  const double r = *radius * factor_;
  sq_radius_ = r * r;
}

bool Radius::excludes(std::int64_t query, std::int64_t id, double sq_dist) const {
  if (!is_limited_) return false;
  if (!cell_.is_by_axes()) return sq_dist > scaled_sq_radius_;  // vectors are no shorter than 1e-100
  double sum = 0;
  for (int axis = 0; axis < data_.dimensions(); ++axis) {
    const double difference = cell_.component(queries_.at(query, axis), data_.at(id, axis), axis) * factor_;
    sum = axis == 0 ? difference * difference : std::fma(difference, difference, sum);
  }
  return sum > sq_radius_;
}

}  // namespace kann::accuracy
