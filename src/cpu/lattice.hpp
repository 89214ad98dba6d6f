// Whether clouds are on a binary lattice (geometry/lattice.hpp).
#pragma once

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// As geometry::exact_float32_limit() of the step of both clouds; 0 where they are not on a lattice that is coarse
/// beside their spacing. Blocks.
float exact_float32_limit(const Problem& p);

}  // namespace kann::cpu
