// SearchOptions::radius: removes neighbours that are too far away from the rows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "kann/neighbors.hpp"
#include "kann/search.hpp"

namespace kann::detail {

/// What keep_within() leaves of the rows of an answer.
struct Within {
  std::int64_t neighbors = 0;  ///< neighbours in all rows
  std::int64_t full_rows = 0;  ///< rows that have k neighbours
};

/// Returns the differences between a query and a data point per axis, in float64 from the coordinates as given.
using Difference = std::function<std::array<double, 3>(std::int64_t query, std::int64_t point)>;

/// Removes the neighbours that are not geometry::WithinRadius(`radius`) from the rows of an answer by `method`. The
/// others keep their order and are followed by missing neighbours. Blocks.
/// @param difference may be called by several threads
Within keep_within(double radius, Method method, int threads, const Difference& difference, Neighbors& rows);

}  // namespace kann::detail
