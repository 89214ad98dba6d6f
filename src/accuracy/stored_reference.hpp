// The neighbours that an earlier result, or a ground truth, has for a query.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/neighbors.hpp"

#include "accuracy/reference_tree.hpp"
#include "accuracy/row_check.hpp"

namespace kann::accuracy {

/// Fills `nearest` with the `count` smallest (sq_distance(), id) of the ids that `neighbors`, the reference or the rows
/// that are judged, have for `query`, or all if they are fewer, ascending. No id counts twice, nor do invalid points
/// and what `rules` exclude: the query itself, and points beyond the radius. Thread-safe.
void find_stored(const Neighbors& neighbors, const RowRules& rules, std::int64_t query, std::int64_t count,
                 std::vector<Nearest>& nearest);

}  // namespace kann::accuracy
