// on_sphere() for a cloud that comes in blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kann/points.hpp"

namespace kann::problem {

/// Writes the unit vectors of points that are angles, the first of which has the number `first`, to `out`. Blocks.
/// @throws Error bad_input, as on_sphere().
void put_on_sphere(const PointsView& points, std::int64_t first, const std::string& name, int threads,
                   std::span<double> out);

/// Refuses points that are not 2-D. @throws Error bad_input.
void check_angles(int dimensions, const std::string& name);

}  // namespace kann::problem
