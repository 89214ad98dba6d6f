#include "search/run_periodic.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "base/float_environment.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "search/periodic/periodic_rows.hpp"
#include "search/periodic/placed_search.hpp"
#include "search/radius.hpp"
#include "search/warnings.hpp"

namespace kann::detail {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double StepSeconds::*k_steps[] = {
    &StepSeconds::prepare, &StepSeconds::start_up, &StepSeconds::upload, &StepSeconds::encode, &StepSeconds::sort,
    &StepSeconds::rank,    &StepSeconds::boxes,    &StepSeconds::select, &StepSeconds::rows,   &StepSeconds::download};

double sum_of(const StepSeconds& seconds) {
  double sum = 0;
  for (double StepSeconds::*const step : k_steps) sum += seconds.*step;
  return sum;
}

/// The ordinary searches that make up a search in a periodic box. All run on the device that the first one has taken.
class Searches {
 public:
  /// The share of the progress that the first search, by the queries, stands for; the searches for images are the rest.
  static constexpr double k_first_share = 0.6;

  Searches(const Index& index, const SearchOptions& options)
      : index_(index), options_(options), tell_(options.on_progress) {
    options_.periodic.clear();
    options_.radius.reset();
    if (tell_) options_.on_progress = [this](std::string_view step, double done) { tell_(step, k_first_share * done); };
  }

  Neighbors of(const std::optional<PointsView>& queries) {
    SearchResult result = queries ? index_.search(*queries, options_) : index_.search_self(options_);
    report = std::move(result.report);
    report.warnings.clear();
    options_.device.kind = report.device.kind;
    options_.on_progress = nullptr;
    return std::move(result.neighbors);
  }

  /// Searches for images at `positions`. `done` is the fraction of the work after the first search that is already
  /// done.
  Neighbors at(const Array<double>& positions, std::int64_t k, double done) {
    if (tell_) tell_("search", k_first_share + (1 - k_first_share) * done);
    options_.k = k;
    SearchResult result = index_.search(PointsView(index_.dimensions(), positions), options_);
    for (double StepSeconds::*const step : k_steps) report.steps.*step += result.report.steps.*step;
    report.device_peak_bytes = std::max(report.device_peak_bytes, result.report.device_peak_bytes);
    return std::move(result.neighbors);
  }

  SearchReport report;

 private:
  const Index& index_;
  SearchOptions options_;
  const std::function<void(std::string_view step, double fraction)>& tell_;
};

}  // namespace

SearchResult run_periodic(const PointsView& given_data, const std::optional<AskedIndex>& index,
                          const std::optional<PointsView>& given_queries, const IndexOptions& of_data,
                          const SearchOptions& options, const std::optional<geometry::Box>& extent) {
  const base::DefaultFloatEnvironment environment;
  const auto start = Clock::now();
  const int threads = base::thread_count(options.threads);
  const PlacedSearch placed(given_data, index, given_queries, of_data, options, extent);
  const PeriodicData& data = *placed.data;
  const double place_seconds = base::seconds_since(start);

  Searches searches(data.index(index ? &index->index : nullptr), options);
  const PeriodicRows in_box{
      data.box(),
      data.points(),
      placed.query_points(),
      data.survey().box,
      data.survey().valid,
      placed.drops_self,
      threads,
      [&](const Array<double>& at, std::int64_t k, double done) { return searches.at(at, k, done); }};
  SearchResult result;
  result.neighbors = searches.of(placed.queries ? std::optional(placed.queries->points()) : std::nullopt);
  in_box.mend(result.neighbors);

  SearchReport& report = result.report;
  report = std::move(searches.report);
  report.warnings = row_warnings({options.k, given_data.dimensions, data.survey(), placed.query_survey,
                                  in_box.drop_self, of_data.data_name, options.query_name, true},
                                 distances_past_float32(result.neighbors), {});
  if (options.radius) {
    const auto difference = [&](std::int64_t query, std::int64_t id) {
      return in_box.box.difference(position_of(in_box.queries, query), position_of(in_box.data, id));
    };
    const Within within = keep_within(*options.radius, Method::exact, threads, difference, result.neighbors);
    report.within_radius = within.neighbors;
    report.full_rows = within.full_rows;
  }
  warn_of_images(options, result.neighbors.distances, report.warnings);
  if (options.on_progress) options.on_progress("search", 1);
  report.steps.prepare += place_seconds;
  report.total_seconds = base::seconds_since(start);
  report.steps.rows += std::max(0.0, report.total_seconds - sum_of(report.steps));
  return result;
}

}  // namespace kann::detail
