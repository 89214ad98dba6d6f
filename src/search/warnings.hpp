// Warnings about an answer that is correct by definition, but may not be what the user expects.
#pragma once

#include <string>
#include <vector>

#include "kann/neighbors.hpp"
#include "kann/search.hpp"

#include "problem/prepare.hpp"

namespace kann::detail {

/// One line per warning: k is larger than the number of data points, float32 is too coarse for the distances, or most
/// queries are far queries. `found` has one row per query of the input.
std::vector<std::string> warnings_about(const problem::Prepared& prepared, const Neighbors& found,
                                        const SearchOptions& options);

}  // namespace kann::detail
