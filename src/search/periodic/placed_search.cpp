#include "search/periodic/placed_search.hpp"

#include "base/threads/parallel.hpp"
#include "problem/prepare.hpp"
#include "problem/valid_points.hpp"

namespace kann::detail {

PlacedSearch::PlacedSearch(const PointsView& given_data, const std::optional<AskedIndex>& index,
                           const std::optional<PointsView>& given_queries, const IndexOptions& of_data,
                           const SearchOptions& options, const std::optional<geometry::Box>& extent)
    : drops_self(!given_queries && !options.include_self) {
  if (options.sky)
    check_options(options);  // the search among vectors checks the rest
  else
    problem::check_request(given_data, of_data.data_name, given_queries.value_or(given_data), options);
  const int threads = base::thread_count(options.threads);
  data = index ? index->kept.of(given_data, of_data, options)
               : std::make_shared<const PlacedData>(given_data, of_data, options, false, extent);
  if (given_queries) queries = data->placed(*given_queries, options);
  query_survey = queries ? problem::checked_survey(queries->points(), options.query_name, options.invalid, threads)
                         : data->survey();
  problem::check_width(data->survey(), query_survey,
                       queries ? of_data.data_name + " and " + options.query_name : of_data.data_name,
                       given_data.dimensions);
}

}  // namespace kann::detail
