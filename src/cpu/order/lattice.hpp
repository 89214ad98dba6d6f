// Whether clouds are on a binary lattice (geometry/lattice.hpp).
#pragma once

#include <optional>

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// The exponent of a power of two that all coordinates of the data are multiples of, if that is not far below their
/// spacing. Reads no further than the first coordinates where they are not. Blocks.
std::optional<int> lattice_step(const Problem& p);

/// As geometry::exact_float32_limit() of the step of both clouds, given that of the data; 0 where there is none.
/// Blocks.
float exact_float32_limit(const Problem& p, std::optional<int> data_step);

}  // namespace kann::cpu
