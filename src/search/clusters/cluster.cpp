// What kann/clusters.hpp has.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "kann/clusters.hpp"
#include "kann/error.hpp"
#include "kann/search.hpp"
#include "kann/sky.hpp"

#include "base/float_environment.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "geometry/within_radius.hpp"
#include "problem/parameters.hpp"
#include "problem/prepare.hpp"
#include "problem/valid_points.hpp"
#include "search/clusters/number_clusters.hpp"
#include "search/clusters/tile_clusters.hpp"
#include "search/periodic/images.hpp"
#include "search/periodic/placed_cloud.hpp"

namespace kann {
namespace detail {
namespace {

/// Points in a periodic box: where they are searched, and their images.
class BoxedPoints {
 public:
  BoxedPoints(const PointsView& given, const problem::Survey& survey, const ClusterOptions& options,
              const SearchOptions& box, int threads)
      : images_(box),
        cloud_(given, Placement(images_.box, survey.box).of_data(), threads),
        survey_(problem::checked_survey(cloud_.points(), options.data_name, options.invalid, threads)),
        sq_radius_(geometry::WithinRadius(options.radius).sq_bound()),
        threads_(threads) {}

  const PointsView& points() const { return cloud_.points(); }

  /// Passes on all images that may be within the radius of a point, some at a time.
  void for_each_block(const std::function<void(const problem::ClusteredPoints&)>& f) const {
    const ImagedQueries imaged{.images = images_,
                               .extent = survey_.box,
                               .queries = points(),
                               .sq_radius = [&](std::int64_t i) { return points().is_finite(i) ? sq_radius_ : -1; },
                               .threads = threads_};
    constexpr std::int64_t at_once = 1 << 20;
    imaged.for_each(at_once, [&](const QueryPlaces& images) {
      std::vector<std::int64_t> numbers;
      for (std::size_t i = 0; i < images.queries.size(); ++i)
        numbers.resize(static_cast<std::size_t>(images.begins[i + 1]), images.queries[i]);
      f({images.view(points().dimensions), numbers});
    });
  }

 private:
  const ImageRule images_;
  const PlacedCloud cloud_;
  const problem::Survey survey_;
  const double sq_radius_;
  const int threads_;
};

/// The clusters of points in memory.
ClusterResult clusters_of(const PointsView& points, const AroundTile& around, TileClusters clusters, int threads,
                          const std::function<void(double)>& show) {
  const problem::ClusteredPoints all{points, {}};
  problem::DisjointSets sets(points.size(), threads);
  {
    problem::PointFlags is_core(points.size());
    show(0);
    clusters.find_core_points(all, around, is_core);
    show(0.5);
    clusters.link(all, around, is_core, sets);
  }
  ClusterResult result;
  result.counts = number_clusters(sets.parents());
  result.labels.resize(sets.parents().size());
  base::parallel_for(sets.size(), threads, [&](std::int64_t i) {
    result.labels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(sets.parents()[static_cast<std::size_t>(i)]);
  });
  clusters.describe(result.report);
  show(1);
  return result;
}

}  // namespace
}  // namespace detail

ClusterResult cluster(const PointsView& given, const ClusterOptions& options) {
  const base::DefaultFloatEnvironment environment;
  const auto start = std::chrono::steady_clock::now();
  check_cluster_options(options);
  const int threads = base::thread_count(options.threads);
  problem::check_count(given, options.data_name);
  SearchOptions box;
  box.periodic = options.periodic;
  problem::check_sides(box, given.dimensions, options.data_name);
  const problem::Survey survey = problem::checked_survey(given, options.data_name, options.invalid, threads);
  problem::check_width(survey, survey, options.data_name, given.dimensions);

  double done = 0;
  const auto show = [&](double fraction) {
    done = fraction;
    if (options.on_progress) options.on_progress("search", done);
  };
  problem::ClusterRule rule{options.radius, options.min_points, threads, [&] { show(done); }};
  Points vectors;
  std::optional<detail::BoxedPoints> boxed;
  PointsView points = given;
  if (options.sky) {
    vectors = on_sphere(given, options.data_name, options.threads);
    points = vectors;
    rule.radius = chord(options.radius, *options.sky);
  }
  detail::AroundTile around = [](const auto&) {};
  if (!options.periodic.empty()) {
    boxed.emplace(given, survey, options, box, threads);
    points = boxed->points();
    around = [&](const std::function<void(const problem::ClusteredPoints&)>& f) { boxed->for_each_block(f); };
  }
  SearchOptions device;
  device.device = options.device;
  device.start_up = options.start_up;
  device.threads = options.threads;
  const detail::SearchSize size{.data_points = given.size(), .dimensions = points.dimensions, .finds_clusters = true};
  // Images are float64, whatever the points are
  const bool is_float64 = boxed || std::holds_alternative<std::span<const double>>(points.coordinates);
  const double prepare_seconds = base::seconds_since(start);
  ClusterResult result = detail::clusters_of(
      points, around, detail::TileClusters({size, given.size(), is_float64, rule}, device), threads, show);
  SearchReport& report = result.report;
  report.steps.prepare = prepare_seconds;
  report.data_points = report.query_points = given.size();
  report.data_skipped = report.query_skipped = survey.invalid;
  report.dimensions = given.dimensions;
  report.method = Method::exact;
  report.warnings = detail::cluster_warnings(options, result.counts, survey.valid);
  report.total_seconds = base::seconds_since(start);
  return result;
}

void check_cluster_options(const ClusterOptions& options) {
  if (!(std::isfinite(options.radius) && options.radius > 0))
    throw Error(ErrorKind::usage,
                fmt::format("--cluster expects a finite radius greater than 0, got '{}'", options.radius));
  if (options.min_points < 1)
    throw Error(ErrorKind::usage,
                fmt::format("--cluster expects at least 1 point within the radius, got '{}'", options.min_points));
  SearchOptions search;
  search.periodic = options.periodic;
  search.sky = options.sky;
  check_options(search);
  if (!options.periodic.empty()) problem::check_repeats_after(options.periodic, options.radius, "--cluster");
}

}  // namespace kann
