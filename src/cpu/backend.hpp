// The CPU backend: the readable specification of the answer, on all cores.
#pragma once

#include "cpu/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Solves the problem with problem.threads threads (Li et al. 2012, Algorithms 1 and 2). Blocks.
/// @throws Error resources (host memory).
Answer solve(const Problem& problem);

}  // namespace kann::cpu
