// The queries that one system of all their neighbours and monomials does not serve. They are solved on the CPU,
// wherever the others are: they are few, and differ in shape.
#pragma once

#include "geometry/interpolation/rbf_input.hpp"

namespace kann::cpu {

/// Sets the values of the queries that are `irregular`, by the rules of kann::RbfOptions, and counts them. Blocks.
void interpolate_irregular(const interpolation::RbfInput& input, interpolation::RbfValues& values);

}  // namespace kann::cpu
