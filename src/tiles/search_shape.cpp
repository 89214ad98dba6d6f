#include "tiles/search_shape.hpp"

#include "problem/parameters.hpp"

namespace kann::tiles {

SearchShape search_shape(const SearchOptions& search, int dimensions, const CloudShape& data,
                         const std::optional<CloudShape>& query, const ProductShape& products, int ranks) {
  const CloudShape queries = query.value_or(data);
  SearchShape shape;
  shape.data = data.points;
  shape.queries = queries.points;
  shape.k = search.k;
  shape.dimensions = dimensions;
  shape.is_float64 = data.is_float64 || queries.is_float64;
  shape.is_mixed = data.is_float64 != queries.is_float64;
  shape.is_self = !query;
  shape.may_skip = search.invalid == InvalidPoints::skip;
  shape.is_periodic = !search.periodic.empty();
  shape.data_attributes = data.attributes;
  shape.query_attributes = queries.attributes;
  shape.products = products;
  shape.ranks = ranks;
  const problem::Problem p = parameters_of(search, dimensions);
  if (p.method == Method::shifted_sort) shape.shifts = p.shifts;
  return shape;
}

problem::Problem parameters_of(const SearchOptions& search, int dimensions) {
  problem::Problem p;
  p.dimensions = dimensions;
  problem::choose_parameters(search, p);
  return p;
}

}  // namespace kann::tiles
