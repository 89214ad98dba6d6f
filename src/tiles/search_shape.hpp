// What the memory of a search depends on, by its options and its clouds.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/search.hpp"

#include "problem/problem.hpp"
#include "tiles/plan.hpp"

namespace kann::tiles {

struct CloudShape {
  std::int64_t points;
  bool is_float64;
  double attributes = 0;  ///< bytes per point
};

/// The shape of a search; of a self-query if there is no `query`. @param ranks how many ranks hold as much each
SearchShape search_shape(const SearchOptions& search, int dimensions, const CloudShape& data,
                         const std::optional<CloudShape>& query, const ProductShape& products = {}, int ranks = 1);

/// What problem::choose_parameters() sets.
problem::Problem parameters_of(const SearchOptions& search, int dimensions);

}  // namespace kann::tiles
