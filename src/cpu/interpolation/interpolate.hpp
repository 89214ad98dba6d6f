// Local radial-basis interpolation on the CPU.
#pragma once

#include "interpolation/rbf_input.hpp"

namespace kann::cpu {

/// The values of all queries that one system each gives; the states of the others are `irregular`. Blocks.
interpolation::RbfValues interpolate(const interpolation::RbfInput& input);

}  // namespace kann::cpu
