// Warnings about an answer that is correct by definition, but may not be what the user expects.
#pragma once

#include <string>
#include <vector>

#include "kann/search.hpp"

#include "problem/prepare.hpp"

namespace kann::detail {

/// One line per warning: k is larger than the number of data points, distances are past float32, or the approximate
/// answer is worse than the defaults promise.
std::vector<std::string> warnings_about(const problem::Prepared& prepared, const SearchResult& result);

}  // namespace kann::detail
