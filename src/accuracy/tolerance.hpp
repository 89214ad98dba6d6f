// The scale of both clouds, and the tolerance for rounding to float32.
#pragma once

#include <array>
#include <cstdint>

#include "kann/points.hpp"

namespace kann::accuracy {

/// How much farther than the exact distance a correct neighbour may be, since the answer is defined in float32.
struct Tolerance {
  double relative = 0;  ///< to the distance

  // Zero unless coordinates are rounded to float32, after the search has subtracted its origin.
  std::array<double, 3> middle{};  ///< of the data
  double spread = 0;               ///< bound on the distance per axis from `middle` to that origin
  double rounding = 0;             ///< error of a distance, per unit of the largest coordinate

  /// The largest squared distance from `query` that is accepted for the exact `sq_dist`.
  double sq_limit(const double* query, double sq_dist, int dimensions) const;
};

struct JudgeScale {
  /// Scales all coordinates below 2, so that no squared distance overflows. A power of two, so that nothing is rounded.
  double scale = 1;
  Tolerance tolerance;          ///< in scaled units
  std::int64_t valid_data = 0;  ///< points without NaN and infinite coordinates
};

/// Passes over both clouds once. They have the same dimensions, 2 or 3.
JudgeScale make_judge_scale(const Points& data, const Points& queries);

}  // namespace kann::accuracy
