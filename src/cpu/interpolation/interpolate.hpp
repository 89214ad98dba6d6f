// Local radial-basis interpolation on the CPU.
#pragma once

#include "geometry/interpolation/rbf_input.hpp"

namespace kann::cpu {

/// The values of all queries for which one system each suffices; the states of the others are `irregular`. Blocks.
interpolation::RbfValues interpolate(const interpolation::RbfInput& input);

/// Sets the values of the queries that are `irregular`, by the rules of kann::RbfOptions, and counts them: those that
/// one system of all their neighbours and monomials does not serve. They are solved on the CPU wherever the others are,
/// as they are few, and differ in shape. Blocks.
void interpolate_irregular(const interpolation::RbfInput& input, interpolation::RbfValues& values);

}  // namespace kann::cpu
