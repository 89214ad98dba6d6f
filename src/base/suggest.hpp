// "did you mean": the known name nearest to what was typed.
#pragma once

#include <span>
#include <string_view>

namespace kann::base {

/// The minimum number of insertions, deletions, substitutions and swaps of adjacent letters that turn `a` into `b`,
/// with no substring edited twice (optimal string alignment, a restricted Damerau–Levenshtein distance). O(|a|·|b|)
/// time. Example: 1 for "otuput" and "output", a swap.
int edit_distance(std::string_view a, std::string_view b);

/// The known name that begins with `typed`, else the one with the minimum edit distance, if that is 1 or not above a
/// third of the length of `typed`. Empty if there is none; among equals, the first in `known`.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known);

}  // namespace kann::base
