// What a user should know about an answer that is not wrong, but may not be what was meant.
#pragma once

#include <string>
#include <vector>

#include "kann/neighbors.hpp"
#include "kann/search.hpp"

#include "problem/prepare.hpp"

namespace kann::detail {

/// One line for each: k is larger than the data, float32 is too coarse for the distances found, or most queries are off
/// the surface of the data. `found` has the rows of the input.
std::vector<std::string> warnings_about(const problem::Prepared& prepared, const Neighbors& found,
                                        const SearchOptions& options);

}  // namespace kann::detail
