// SearchOptions::radius: rows without the neighbours that are too far away.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "kann/neighbors.hpp"
#include "kann/search.hpp"

namespace kann::detail {

/// What is left of the rows of an answer.
struct Within {
  std::int64_t neighbors = 0;  ///< in all rows
  std::int64_t full_rows = 0;  ///< rows that have k of them
};

/// From a data point to a query, per axis, in float64 of the coordinates as given.
using Difference = std::function<std::array<double, 3>(std::int64_t query, std::int64_t point)>;

/// Takes the neighbours that are not geometry::WithinRadius(`radius`) out of the rows of an answer by `method`; those
/// that are left keep their order, and missing ones follow. Blocks.
/// @param difference may be called by several threads
Within keep_within(double radius, Method method, int threads, const Difference& difference, Neighbors& rows);

}  // namespace kann::detail
