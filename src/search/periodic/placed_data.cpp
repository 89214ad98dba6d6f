#include "search/periodic/placed_data.hpp"

#include "kann/sky.hpp"

#include "base/threads/parallel.hpp"
#include "problem/valid_points.hpp"

namespace kann::detail {

PlacedData::PlacedData(const PointsView& points, const IndexOptions& of_data, const SearchOptions& options,
                       bool has_index, const std::optional<geometry::Box>& extent)
    : sides_(options.periodic),
      is_on_sphere_(options.sky.has_value()),
      box_(sides_),
      given_(is_on_sphere_ ? problem::Survey()
                           : problem::checked_survey(points, of_data.data_name, of_data.invalid,
                                                     base::thread_count(of_data.threads))),
      placement_(box_, extent.value_or(given_.box)),
      cloud_(is_on_sphere_ ? PlacedCloud(on_sphere(points, of_data.data_name, of_data.threads))
                           : PlacedCloud(points, placement_.of_data(), base::thread_count(of_data.threads))),
      survey_(cloud_.is_given() ? given_ : problem::survey(cloud_.points(), base::thread_count(of_data.threads))) {
  if (!has_index || !cloud_.is_given()) index_.emplace(cloud_.points(), of_data);
}

std::unique_ptr<const PlacedCloud> PlacedData::placed(const PointsView& queries, const SearchOptions& options) const {
  if (is_on_sphere_) return std::make_unique<PlacedCloud>(on_sphere(queries, options.query_name, options.threads));
  return std::make_unique<PlacedCloud>(queries, placement_.of_queries(), base::thread_count(options.threads));
}

}  // namespace kann::detail
