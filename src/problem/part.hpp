// Some of the queries of a problem as a problem of their own: a row depends on its query, the data and the options
// alone.
#pragma once

#include <cstdint>

#include "problem/problem.hpp"

namespace kann::problem {

/// Queries [begin, end) of `whole`, with those of its sample; query i of the part is query begin + i. Without
/// on_progress and on_rows, and with no arrays for its rows. Keeps the pointers of `whole`.
Problem part_of(const Problem& whole, std::int64_t begin, std::int64_t end);

}  // namespace kann::problem
