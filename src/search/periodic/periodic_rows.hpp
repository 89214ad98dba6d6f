// The rows of a search in a periodic box, put together from ordinary exact searches by images of the queries.
#pragma once

#include <cstdint>
#include <functional>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "geometry/box.hpp"
#include "search/periodic/periodic_box.hpp"

namespace kann::detail {

/// The exact rows of `neighbors` among the data, of queries at positions of d coordinates each. `done` is the fraction
/// of the work of PeriodicRows::mend() that goes before.
using SearchAt = std::function<Neighbors(const Array<double>& positions, std::int64_t neighbors, double done)>;

struct PeriodicRows {
  const PeriodicBox& box;
  PointsView data, queries;  ///< where they are searched
  geometry::Box extent;      ///< of the data
  std::int64_t valid_data = 0;
  bool drop_self = false;  ///< query i is data point i, and not its own neighbour
  int threads = 1;
  SearchAt search_at;

  /// Of the exact answer without a box, makes that in the box: changes the rows of queries that have neighbours across
  /// a face. Rows without a neighbour, those of invalid queries, stay. Blocks. @throws what `search_at` throws.
  void mend(Neighbors& rows) const;
};

}  // namespace kann::detail
