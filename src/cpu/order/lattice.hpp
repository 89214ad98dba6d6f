// Whether clouds are on a binary lattice (geometry/lattice.hpp).
#pragma once

#include <optional>

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// The exponent of a power of two that all coordinates of the data are multiples of, if that is not far below their
/// spacing. If there is none, it stops reading at the first coordinates that show this. Blocks.
std::optional<int> lattice_step(const Problem& p);

/// geometry::exact_float32_limit() for the step of both clouds; 0 if they have none. Blocks.
/// @param data_step lattice_step() of the data
float exact_float32_limit(const Problem& p, std::optional<int> data_step);

}  // namespace kann::cpu
