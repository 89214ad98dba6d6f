// "did you mean": the option nearest to what was typed.
#pragma once

#include <span>
#include <string_view>

namespace kann::cli {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, no place edited twice
/// (the optimal string alignment form of Damerau–Levenshtein). O(|a|·|b|) time.
int edit_distance(std::string_view a, std::string_view b);

/// The known name that `typed` most likely stands for: one that it begins, else the nearest by edit distance if at most
/// a third of the letters differ. Empty if there is none; the first of `known` among equals.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> known);

}  // namespace kann::cli
