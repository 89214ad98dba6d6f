// How evenly data fill their box.
#pragma once

#include <vector>

#include "geometry/box.hpp"

namespace kann::problem {

/// How many times as dense as their average over `box` the data are where an average point of them is: 1 if they fill
/// the box evenly, 4/3 if their density rises from one side to the other in proportion, far more for a surface or
/// clusters; infinity for a box without volume, and for a lattice, which has too many points at one distance: more
/// than a third of the points have the first coordinate of an earlier one. To within a hundredth, by counting the
/// points of a sample in some hundred cells: finer patterns do not show.
/// @param sample row-major coordinates of points in `box`
double unevenness(const geometry::Box& box, const std::vector<double>& sample, int dimensions);

}  // namespace kann::problem
