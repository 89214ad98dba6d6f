// SearchOptions::radius: rows without the neighbours that are too far away.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "kann/neighbors.hpp"
#include "kann/search.hpp"

#include "geometry/distance.hpp"

namespace kann::detail {

/// Whether points are within a radius: d² ≤ R², both in float64, R² rounded as d² is, so that a point at distance R
/// along an axis is within. Below 2⁻⁴⁰⁰ both are squares of numbers times 2⁶⁰⁰, since those of the numbers themselves
/// would vanish: 1e-300² is 0, and so is 1e-200². R² may be infinite; no d² is, as checked by problem::prepare().
class WithinRadius {
 public:
  explicit WithinRadius(double radius)
      : scale_(radius < 0x1p-400 ? 0x1p600 : 1), sq_radius_(radius * scale_ * (radius * scale_)) {}

  bool operator()(const std::array<double, 3>& difference) const {
    return geometry::sq_distance_3d(difference[0] * scale_, difference[1] * scale_, difference[2] * scale_) <=
           sq_radius_;
  }

  /// No squared distance of points within the radius is larger, rounded as geometry::sq_distance() does.
  double sq_bound() const { return scale_ == 1 ? sq_radius_ : 0x1p-800; }

 private:
  double scale_, sq_radius_;
};

/// What is left of the rows of an answer.
struct Within {
  std::int64_t neighbors = 0;  ///< in all rows
  std::int64_t full_rows = 0;  ///< rows that have k of them
};

/// From a data point to a query, per axis, in float64 of the coordinates as given.
using Difference = std::function<std::array<double, 3>(std::int64_t query, std::int64_t point)>;

/// Takes the neighbours that are not WithinRadius(`radius`) out of the rows of an answer by `method`; those that are
/// left keep their order, and missing ones follow. Blocks.
/// @param difference may be called by several threads
Within keep_within(double radius, Method method, int threads, const Difference& difference, Neighbors& rows);

}  // namespace kann::detail
