#include "search/sphere_search.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kann/sky.hpp"

#include "base/float_environment.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "geometry/distance.hpp"
#include "search/search.hpp"
#include "search/search_radius.hpp"
#include "search/warnings.hpp"

namespace kann::detail {
namespace {

using Neighbor = std::pair<float, std::int32_t>;

constexpr std::int64_t k_grain = 1024;  // rows per piece of work

/// Distances between unit vectors.
class SphereDistances {
 public:
  SphereDistances(const PointsView& data, const PointsView& queries, AngleUnit unit)
      : data_(std::get<std::span<const double>>(data.coordinates).data()),
        queries_(std::get<std::span<const double>>(queries.coordinates).data()),
        unit_(unit) {}

  /// Sets the distances of a row, which is sorted then. Missing neighbours are not in it.
  void set(std::int64_t query, std::span<std::int32_t> ids, std::span<float> distances,
           std::vector<Neighbor>& row) const {
    row.clear();
    for (const std::int32_t id : ids) row.emplace_back(distance(query, id), id);
    if (!std::ranges::is_sorted(row)) std::ranges::sort(row);
    for (std::size_t i = 0; i < row.size(); ++i) std::tie(distances[i], ids[i]) = row[i];
  }

 private:
  float distance(std::int64_t query, std::int64_t id) const {
    const double* const a = queries_ + 3 * query;
    const double* const b = data_ + 3 * id;
    return static_cast<float>(sphere_distance(geometry::sq_distance_3d(a[0] - b[0], a[1] - b[1], a[2] - b[2]), unit_));
  }

  const double* const data_;
  const double* const queries_;
  const AngleUnit unit_;
};

/// Both clouds on the sphere.
struct SphereClouds {
  SphereClouds(const PointsView& given_data, KeptSphereData* kept, const std::optional<PointsView>& given_queries,
               const IndexOptions& of_data, const SearchOptions& options) {
    check_options(options);
    if (kept)
      kept_data = kept->of(given_data, of_data);
    else
      own_data = on_sphere(given_data, of_data.data_name, options.threads);
    data = kept_data ? kept_data->points : own_data;
    if (!given_queries) return;
    own_queries = on_sphere(*given_queries, options.query_name, options.threads);
    queries = own_queries;
  }

  std::shared_ptr<const SphereData> kept_data;
  Points own_data, own_queries;
  PointsView data;
  std::optional<PointsView> queries;
};

/// What the search among vectors has reported, as a search on the sphere reports it. The boxes of the clouds, which
/// some warnings are about, say nothing here.
void adapt(SearchReport& report, const SearchOptions& options, const std::string& data_name, std::int64_t k,
           bool is_self, double prepare_seconds) {
  report.dimensions = 2;
  report.steps.prepare += prepare_seconds;
  const auto survey = [](std::int64_t points, std::int64_t skipped) {
    problem::Survey made;
    made.valid = points - skipped;
    made.invalid = skipped;
    return made;
  };
  report.warnings = row_warnings(
      {k, 2, survey(report.data_points, report.data_skipped), survey(report.query_points, report.query_skipped),
       is_self && !options.include_self, data_name, is_self ? "" : options.query_name, true},
      0, {});
}

}  // namespace

SphereData::SphereData(const PointsView& given, const IndexOptions& options)
    : points(on_sphere(given, options.data_name, options.threads)), index(points, options) {}

SearchOptions options_of_vectors(const SearchOptions& options) {
  SearchOptions made = options;
  if (options.radius) made.radius = chord(*options.radius, *options.sky);
  made.sky.reset();
  return made;
}

void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          NeighborLists& lists) {
  const SphereDistances distances(data, queries, unit);
  base::parallel_chunks(lists.queries(), k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Neighbor> row;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto first = static_cast<std::size_t>(lists.begins[i]);
      const auto count = static_cast<std::size_t>(lists.begins[i + 1]) - first;
      distances.set(i, std::span(lists.ids).subspan(first, count), std::span(lists.distances).subspan(first, count),
                    row);
    }
  });
}

/// Turns rows that were found among unit vectors into rows of the sphere: sets the distances, and puts each row into
/// the order of (distance, id).
void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          Neighbors& rows) {
  const SphereDistances distances(data, queries, unit);
  const auto k = static_cast<std::size_t>(rows.k);
  base::parallel_chunks(rows.queries, k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Neighbor> row;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto first = static_cast<std::size_t>(i) * k;
      const std::span ids = std::span(rows.ids).subspan(first, k);
      const auto count = static_cast<std::size_t>(std::ranges::find(ids, k_missing_id) - ids.begin());
      distances.set(i, ids.first(count), std::span(rows.distances).subspan(first, count), row);
    }
  });
}

SearchResult search_on_sphere(const PointsView& given_data, KeptSphereData* kept,
                              const std::optional<PointsView>& given_queries, const IndexOptions& of_data,
                              const SearchOptions& options) {
  const base::DefaultFloatEnvironment environment;
  const auto start = std::chrono::steady_clock::now();
  const SphereClouds clouds(given_data, kept, given_queries, of_data, options);
  const double prepare_seconds = base::seconds_since(start);
  const SearchOptions inner = options_of_vectors(options);
  SearchResult result = clouds.kept_data ? search(clouds.kept_data->index, clouds.queries, inner)
                                         : search(clouds.data, clouds.queries, inner);
  const auto found = std::chrono::steady_clock::now();
  set_sphere_distances(clouds.data, clouds.queries.value_or(clouds.data), *options.sky,
                       base::thread_count(options.threads), result.neighbors);
  SearchReport& report = result.report;
  report.steps.rows += base::seconds_since(found);
  adapt(report, options, of_data.data_name, options.k, !given_queries, prepare_seconds);
  report.total_seconds = base::seconds_since(start);
  return result;
}

RadiusResult search_radius_on_sphere(const PointsView& given_data, KeptSphereData* kept,
                                     const std::optional<PointsView>& given_queries, const IndexOptions& of_data,
                                     const SearchOptions& given, std::int64_t most_listed) {
  const base::DefaultFloatEnvironment environment;
  const auto start = std::chrono::steady_clock::now();
  const SearchOptions options = radius_options(given);
  const SphereClouds clouds(given_data, kept, given_queries, of_data, options);
  const double prepare_seconds = base::seconds_since(start);
  const SearchOptions inner = options_of_vectors(options);
  RadiusResult result = clouds.kept_data ? search_radius(clouds.kept_data->index, clouds.queries, inner, most_listed)
                                         : search_radius(clouds.data, clouds.queries, inner, most_listed);
  const auto found = std::chrono::steady_clock::now();
  if (!result.lists.ids.empty())
    set_sphere_distances(clouds.data, clouds.queries.value_or(clouds.data), *options.sky,
                         base::thread_count(options.threads), result.lists);
  SearchReport& report = result.report;
  report.steps.rows += base::seconds_since(found);
  adapt(report, options, of_data.data_name, 0, !given_queries, prepare_seconds);
  report.total_seconds = base::seconds_since(start);
  return result;
}

}  // namespace kann::detail
