// How evenly data fill their box.
#pragma once

#include <vector>

#include "geometry/box.hpp"

namespace kann::problem {

/// The density of the data around an average data point, divided by their average density in `box`: 1 if they fill the
/// box evenly, 4/3 if their density rises linearly from 0 at one side to the other, far more for a surface or clusters.
/// Infinity for a box without volume, and instead of a value below 2 for a lattice, which has too many points at one
/// distance (recognised by more than a third of the points having the same first coordinate as an earlier one).
/// Accurate to a hundredth, by counting the points of a sample in some hundred cells, which do not show finer patterns.
/// @param sample row-major coordinates of points in `box`
double unevenness(const geometry::Box& box, const std::vector<double>& sample, int dimensions);

}  // namespace kann::problem
