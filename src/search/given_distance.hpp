// Distances in float64 from the coordinates as they were given, for code that examines the rows of a finished search.
#pragma once

#include <array>
#include <cstdint>

#include "geometry/distance.hpp"
#include "problem/problem.hpp"

namespace kann::detail {

/// Distances from one query of a problem to the points of its data.
class FromQuery {
 public:
  FromQuery(const problem::Problem& p, std::int64_t query) : p_(p) {
    for (int a = 0; a < p.dimensions; ++a) query_[a] = at(p.given_queries, p.queries, query, a);
  }

  /// The differences per axis; the third is 0 in 2-D.
  std::array<double, 3> difference_to(std::int64_t point) const {
    std::array<double, 3> difference{};
    for (int a = 0; a < p_.dimensions; ++a) difference[a] = query_[a] - at(p_.given_data, p_.data, point, a);
    return difference;
  }

  double sq_dist_to(std::int64_t point) const {
    const std::array<double, 3> d = difference_to(point);
    return geometry::sq_distance_3d(d[0], d[1], d[2]);
  }

 private:
  double at(const double* given, const float* in_frame, std::int64_t row, int axis) const {
    const std::int64_t i = row * p_.dimensions + axis;
    return given ? given[i] : static_cast<double>(in_frame[i]);
  }

  const problem::Problem& p_;
  double query_[3] = {};
};

}  // namespace kann::detail
