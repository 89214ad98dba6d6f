// The parameters of a search: which values options may have, and the defaults for those that are not given.
#pragma once

#include <string_view>
#include <vector>

#include "kann/search.hpp"

#include "problem/problem.hpp"

namespace kann::problem {

/// Sets k, method, shifts and window of a problem whose dimensions are known, from options that kann::check_options()
/// has passed.
void choose_parameters(const SearchOptions& options, Problem& p);

/// Refuses an approximate method beside an option whose answer is exact. @throws Error usage.
void check_is_exact(Method method, std::string_view option);

/// Refuses a radius within which two images of a point may be, where each point counts once. @throws Error usage.
/// @param option the name of the radius in messages @param hint what follows
void check_repeats_after(const std::vector<double>& periodic, double radius, std::string_view option,
                         std::string_view hint = "");

}  // namespace kann::problem
