// Makes some of the queries of a problem a problem of their own, which is possible since a row depends only on its
// query, the data and the options.
#pragma once

#include <cstdint>

#include "problem/problem.hpp"

namespace kann::problem {

/// The problem of queries [begin, end) of `whole`, with the part of its sample among them; query i of the part is query
/// begin + i of `whole`. It has no on_progress, no on_rows and no arrays for its rows. It shares the pointers of
/// `whole`.
Problem part_of(const Problem& whole, std::int64_t begin, std::int64_t end);

}  // namespace kann::problem
