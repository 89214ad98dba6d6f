// The numbers that steer a search: what options may say, and the defaults of what they leave open.
#pragma once

#include "kann/search.hpp"

#include "problem/problem.hpp"

namespace kann::problem {

/// Sets k, method, pipeline, shifts, window, bits and searches_doubtful of a problem whose dimensions are known, from
/// options that kann::check_options() has passed. @throws Error usage: more bits than the codes of these dimensions
/// have.
void choose_parameters(const SearchOptions& options, Problem& p);

/// The rules of a shifted sort whose grid is known. `rounding`: maximum rounding of a coordinate of most data, in units
/// of the input.
geometry::DoubtRules doubt_rules(const Problem& p, double rounding);

}  // namespace kann::problem
