// The parameters of a search: which values options may have, and the defaults for those that are not given.
#pragma once

#include "kann/search.hpp"

#include "problem/problem.hpp"

namespace kann::problem {

/// Sets k, method, pipeline, shifts, window, bits and searches_doubtful of a problem whose dimensions are known, from
/// options that kann::check_options() has passed. @throws Error usage: more bits than the codes of these dimensions
/// have.
void choose_parameters(const SearchOptions& options, Problem& p);

/// The rules by which a shifted sort doubts its rows; its grid must be known. `rounding` is the largest rounding error
/// of a coordinate of most data, in units of the input.
geometry::DoubtRules doubt_rules(const Problem& p, double rounding);

}  // namespace kann::problem
