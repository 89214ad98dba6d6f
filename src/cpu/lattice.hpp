// Clouds on a binary lattice, as integers are: there float32 squared distances are exact, and many of them are equal.
#pragma once

#include "cpu/vector/names.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// The float32 squared distance below which all are exact: computed below it, equal to the true one, and computed at
/// least it otherwise. 0 where points are not on a lattice that is coarse beside their spacing. Blocks.
///
/// Let all coordinates be multiples of q, a power of two. Differences, squares and sums are multiples of q or q², and
/// float32 holds such a number exactly below 2²⁴·q or 2²⁴·q²; sq_distance() is monotone in every operation. So the
/// limit is 2²⁴·q².
float exact_float32_limit(const Problem& p);

}  // namespace kann::cpu
