// In how large a ball the neighbours of a row are, and what else the functions of this folder share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "kann/error.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/statistics.hpp"

namespace kann::statistics {

/// The radius of a ball whose last neighbour is so far. A cap of the sphere has the area of a disc whose radius is the
/// chord from its middle to its edge, as 2π (1 − cos a) = π (2 sin a/2)².
inline double radius_of(const DensityBall& ball, float last) {
  const double reach = ball.radius.value_or(double{last});
  if (!ball.sky) return reach;
  const double sphere = sphere_distance(4, *ball.sky) / std::numbers::pi;
  return sphere * std::min(2.0, chord(reach, *ball.sky));
}

/// Calls f(rows) with the rows of each block; with one block where rows have no neighbours.
template <class F>
void for_each_block(const RowBlocks& blocks, F&& f) {
  if (blocks.k == 0 && !blocks.lists) return f(Rows{.count = blocks.queries});
  blocks.for_each(f);
}

/// @throws Error bad_input.
inline void check_dimensions(int dimensions, const std::string& who) {
  if (dimensions != 2 && dimensions != 3)
    throw Error(ErrorKind::bad_input, who + ": points of " + std::to_string(dimensions) + " coordinates");
}

}  // namespace kann::statistics
