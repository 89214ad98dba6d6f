#include "search/warnings.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/short_number.hpp"
#include "geometry/window.hpp"

namespace kann::detail {
namespace {

using Warning = std::optional<std::string>;

Warning about_missing(const problem::Prepared& prepared, const SearchOptions& options) {
  const problem::Problem& p = prepared.problem;
  const std::int64_t available = p.data_count - (p.drop_self ? 1 : 0);
  if (p.query_count == 0 || p.k <= available) return {};
  const std::string count = std::to_string(p.data_count) + (prepared.data_skipped ? " valid points" : " points");
  return "k=" + std::to_string(p.k) + " but " + options.data_name + " has " + count +
         (p.drop_self ? ", the query itself among them" : "") + "; missing neighbours are id -1, distance inf";
}

/// Calls f(iterator to the first distance of a query) for a sample of the queries.
template <class F>
void for_each_sampled(const Neighbors& found, F&& f) {
  constexpr std::int64_t sample = 1000;
  const std::int64_t count = std::min(found.queries, sample);
  for (std::int64_t i = 0; i < count; ++i) f(found.distances.begin() + i * found.queries / count * found.k);
}

/// The median of the distances to the last neighbours found; 0 if there are none.
double typical_distance(const Neighbors& found) {
  std::vector<float> distances;
  for_each_sampled(found, [&](auto row) {
    const auto missing = std::find(row, row + found.k, std::numeric_limits<float>::infinity());
    if (missing != row) distances.push_back(*(missing - 1));
  });
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// Candidates of the shifted sort are compared in float32: if the rounding of coordinates is a hundredth of the
/// distances or more, it may take wrong ones.
Warning about_rounding(const problem::Prepared& prepared, const Neighbors& found, const SearchOptions& options) {
  const double distance = typical_distance(found);
  if (options.method == Method::exact || 128 * prepared.rounding <= distance || distance == 0) return {};
  return options.data_name + ": float32 rounds coordinates this far apart to " + base::short_number(prepared.rounding) +
         ", and neighbours are " + base::short_number(distance) + " away: some may be wrong; --exact finds all";
}

/// Far queries have many points at almost equal distances. Of queries above a plane, at 20 times the distance between
/// its points, the windows contain .57 of the nearest neighbours, and the exact search is as fast.
Warning about_far_queries(const problem::Problem& p, const Neighbors& found) {
  using geometry::k_far_neighbors;
  if (p.method == Method::exact || found.k < k_far_neighbors) return {};
  std::int64_t far = 0, sampled = 0;
  for_each_sampled(found, [&](auto row) {
    far += geometry::is_far(row[0] * row[0], row[k_far_neighbors - 1] * row[k_far_neighbors - 1]);
    ++sampled;
  });
  if (2 * far <= sampled) return {};
  return "most queries stand off the data, with many points about as far: the approximate answer may miss "
         "many of the nearest; --exact finds all";
}

}  // namespace

std::vector<std::string> warnings_about(const problem::Prepared& prepared, const Neighbors& found,
                                        const SearchOptions& options) {
  std::vector<std::string> warnings;
  for (const Warning& warning : {about_missing(prepared, options), about_rounding(prepared, found, options),
                                 about_far_queries(prepared.problem, found)})
    if (warning) warnings.push_back(*warning);
  return warnings;
}

}  // namespace kann::detail
