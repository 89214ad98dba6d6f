// What the judge has to know of both clouds before it measures: a scale, and how much rounding to forgive.
#pragma once

#include <array>
#include <cstdint>

#include "kann/points.hpp"

namespace kann::accuracy {

/// How far above the exact distance a neighbour may lie and still be right, because the answer is defined on float32.
struct Tolerance {
  double relative = 0;

  // Where coordinates were rounded to float32: the middle of the data, how far from it the centre that was subtracted
  // may be, and what a coordinate's rounding does to a distance, per unit of its size.
  std::array<double, 3> middle{};
  double spread = 0;
  double rounding = 0;

  /// The largest squared distance from `query` that counts as `sq_dist`.
  double sq_limit(const double* query, double sq_dist, int dimensions) const;
};

struct JudgeScale {
  /// A power of two, so that it rounds nothing. With it all coordinates are below 2, and no squared distance overflows.
  double scale = 1;
  Tolerance tolerance;          ///< in scaled units
  std::int64_t valid_data = 0;  ///< points without NaN and infinite coordinates
};

/// Reads both clouds once. They have the same 2 or 3 dimensions.
JudgeScale make_judge_scale(const Points& data, const Points& queries);

}  // namespace kann::accuracy
