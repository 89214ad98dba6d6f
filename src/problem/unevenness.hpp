// How evenly data fill their box.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/box.hpp"

namespace kann::problem {

/// The density of the data around an average data point, divided by their average density in `box`: 1 if they fill the
/// box evenly, 4/3 if their density rises linearly from 0 at one side to the other, far more for a surface or clusters.
/// Infinity for a box without volume, and instead of a value below 2 for a lattice, which has too many points at one
/// distance (recognised by more than a third of the points having the same first coordinate as an earlier one).
/// Accurate to a hundredth, by counting the points of a sample in some hundred cells. They do not show finer patterns,
/// such as flat ground, which is a surface that bends by no more than a cell is high. So many more cells, each for
/// eight of all points if the sample allows it, show whether it is surely more.
/// @param sample row-major coordinates of points in `box` @param points the number of all points
double unevenness(const geometry::Box& box, const std::vector<double>& sample, int dimensions, std::int64_t points);

}  // namespace kann::problem
