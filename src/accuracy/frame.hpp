// What the judge has to know of both clouds before it measures: a scale, and how much rounding to forgive.
#pragma once

#include <cmath>
#include <cstdint>

#include "kann/points.hpp"

namespace kann::accuracy {

/// How far above the exact distance a neighbour may lie and still be right, because the answer is defined on float32.
struct Tolerance {
  double relative = 0;
  double absolute = 0;

  /// The largest squared distance that counts as `sq_dist`.
  double sq_limit(double sq_dist) const {
    const double limit = std::sqrt(sq_dist) * (1 + relative) + absolute;
    return limit * limit;
  }
};

struct Frame {
  /// A power of two, so that it rounds nothing. With it all coordinates are below 2, and no squared distance overflows.
  double scale = 1;
  Tolerance tolerance;          ///< in scaled units
  std::int64_t valid_data = 0;  ///< points without NaN and infinite coordinates
};

/// Reads both clouds once. They have the same 2 or 3 dimensions.
Frame make_frame(const Points& data, const Points& queries);

}  // namespace kann::accuracy
