// The rows of a search in a periodic box, put together from ordinary exact searches by images of the queries.
//
// The row of a query is certain when all data points that no search has returned are farther, by the definition, than
// the last of the row; a search has not returned what is as far as its last neighbour, or farther, but for rounding
// (margin.hpp). Until then, it is searched again with twice as many neighbours: equal distances are decided by id, so
// that all points that rounding cannot tell apart must be seen.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "search/periodic/placement.hpp"

namespace kann::detail {

/// The exact rows of `neighbors` among Placement::data(), of queries at positions of d coordinates each.
using SearchAt = std::function<Neighbors(const Array<double>& positions, std::int64_t neighbors)>;

struct PeriodicRows {
  const Placement& placement;
  PointsView data, queries;  ///< as given
  std::int64_t valid_data = 0;
  bool drop_self = false;  ///< query i is data point i, and not its own neighbour
  int threads = 1;
  SearchAt search_at;

  /// Fills the rows of all `valid` queries. Blocks. @throws what `search_at` throws.
  void fill(std::span<const std::int64_t> valid, Neighbors& rows) const;

  /// The same where `rows` is the exact answer without a box, and all queries and data are where they were given
  /// (Placement::Place::is_given): changes the rows that the box changes.
  void mend(std::span<const std::int64_t> valid, Neighbors& rows) const;
};

}  // namespace kann::detail
