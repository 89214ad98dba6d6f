// Local radial-basis interpolation on the CPU.
#pragma once

#include "geometry/interpolation/rbf_input.hpp"

namespace kann::cpu {

/// The values of all queries for which one system each suffices; the states of the others are `irregular`. Blocks.
interpolation::RbfValues interpolate(const interpolation::RbfInput& input);

}  // namespace kann::cpu
