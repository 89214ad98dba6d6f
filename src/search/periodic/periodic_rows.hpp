// Makes the rows of a search in a periodic box from ordinary exact searches by images of the queries.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "geometry/box.hpp"
#include "search/periodic/images.hpp"
#include "search/rows/radius.hpp"

namespace kann::detail {

/// Returns the exact rows, of `neighbors` data points each, for queries at `positions` (d coordinates each). `done` is
/// the fraction of the work of PeriodicRows::mend() that is already done.
using SearchAt = std::function<Neighbors(const Array<double>& positions, std::int64_t neighbors, double done)>;

struct PeriodicRows {
  const ImageRule& images;
  PointsView data, queries;  ///< at the places where they are searched
  geometry::Box extent;      ///< the box around the data
  std::int64_t valid_data = 0;
  bool is_self = false;        ///< query i is data point i …
  bool includes_self = false;  ///< … and a neighbour of itself
  std::optional<double> radius = {};
  int threads = 1;
  SearchAt search_at;

  /// Turns the exact answer without a box and without a radius into the answer in the box: changes the rows of queries
  /// that have neighbours across a face, and shortens all to those within the radius. Blocks.
  /// @throws Error usage, as ImagedQueries, and what `search_at` throws.
  Within mend(Neighbors& rows) const;

  /// Bytes that mend() takes for its images at a time, and the search by these. 226 MB were measured with 1,000 points,
  /// k = 8, and a box in which most queries out of 3·10⁶ have images. @param most ImageRule::most()
  static double bytes(std::int64_t queries, std::int64_t k, std::int64_t most);
};

}  // namespace kann::detail
