#include "search/periodic/periodic_data.hpp"

#include "base/threads/parallel.hpp"
#include "problem/valid_points.hpp"

namespace kann::detail {

PeriodicData::PeriodicData(const PointsView& points, const IndexOptions& options, const std::vector<double>& sides,
                           bool has_index, const std::optional<geometry::Box>& extent)
    : sides_(sides),
      box_(sides_),
      given_(problem::checked_survey(points, options.data_name, options.invalid, base::thread_count(options.threads))),
      placement_(box_, extent.value_or(given_.box)),
      cloud_(points, placement_.of_data(), base::thread_count(options.threads)),
      survey_(cloud_.is_given() ? given_ : problem::survey(cloud_.points(), base::thread_count(options.threads))) {
  if (!has_index || !cloud_.is_given()) index_.emplace(cloud_.points(), options);
}

}  // namespace kann::detail
