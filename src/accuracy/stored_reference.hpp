// The neighbours that an earlier result, or a ground truth, has for a query.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/neighbors.hpp"

#include "accuracy/reference_tree.hpp"
#include "accuracy/row_check.hpp"

namespace kann::accuracy {

/// Fills `nearest` with the `count` smallest (sq_distance(), id), ascending, of the ids in the row of `query` in
/// `neighbors` (the reference, or the rows that are judged); with all of them if there are fewer. Repeated ids count
/// once. Invalid points do not count, nor does what `rules` exclude: the query itself, and points beyond the radius.
/// Thread-safe.
void find_stored(const Neighbors& neighbors, const RowRules& rules, std::int64_t query, std::int64_t count,
                 std::vector<Nearest>& nearest);

}  // namespace kann::accuracy
