// The properties of a cloud that the search depends on: box, invalid points, and whether float32 holds it exactly.
#pragma once

#include <cstdint>

#include "kann/points.hpp"

#include "geometry/box.hpp"

namespace kann::problem {

struct Survey {
  geometry::Box box;  ///< around the valid points; zero if there are none
  std::int64_t valid = 0;
  std::int64_t invalid = 0;         ///< points with a NaN or infinite coordinate
  std::int64_t left_out = 0;        ///< those of them that are base::is_left_out()
  std::int64_t first_invalid = -1;  ///< of the others
  bool exact = true;                ///< every coordinate of every valid point is a float32
};

/// Reads the cloud once, with `threads` threads. Blocks.
Survey survey(const PointsView& points, int threads);

/// Adds a part of the same cloud whose rows follow those of `whole`; in both, first_invalid is a row number of the
/// cloud.
void append(Survey& whole, const Survey& part);

}  // namespace kann::problem
