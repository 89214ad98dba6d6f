// The numbers that steer a search: what options may say, and the defaults of what they leave open.
#pragma once

#include "kann/search.hpp"

#include "problem/problem.hpp"

namespace kann::problem {

/// Sets k, method, pipeline, shifts, windows and bits of a problem whose dimensions are known, from options that
/// kann::check_options() has passed. @throws Error usage: more bits than the codes of these dimensions have.
void choose_parameters(const SearchOptions& options, Problem& p);

}  // namespace kann::problem
