// The CPU backend: both methods, on all cores, with vectors.
#pragma once

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Solves the problem with problem.threads threads. Blocks.
/// @throws Error resources (host memory).
Answer solve(const Problem& problem);

}  // namespace kann::cpu
