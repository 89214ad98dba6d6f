// The parameters of a search: which values options may have, and the defaults for those that are not given.
#pragma once

#include <string_view>

#include "kann/search.hpp"

#include "problem/problem.hpp"

namespace kann::problem {

/// Sets k, method, shifts and window of a problem whose dimensions are known, from options that kann::check_options()
/// has passed.
void choose_parameters(const SearchOptions& options, Problem& p);

/// Refuses an approximate method beside an option whose answer is exact. @throws Error usage.
void check_is_exact(Method method, std::string_view option);

}  // namespace kann::problem
