#include "search/periodic/periodic_data.hpp"

#include "base/parallel.hpp"
#include "problem/valid_points.hpp"

namespace kann::detail {

PeriodicData::PeriodicData(const PointsView& points, const IndexOptions& options, const std::vector<double>& sides,
                           bool has_index)
    : sides_(sides),
      box_(sides_),
      cloud_(points, box_, base::thread_count(options.threads)),
      survey_(problem::checked_survey(cloud_.points(), options.data_name, options.invalid,
                                      base::thread_count(options.threads))) {
  if (!has_index || !cloud_.is_given()) index_.emplace(cloud_.points(), options);
}

}  // namespace kann::detail
