// All neighbours within a radius in a periodic box: those of the query and of its images, each point once.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "geometry/within_radius.hpp"
#include "search/periodic/images.hpp"
#include "search/periodic/placed_search.hpp"
#include "search/run_periodic.hpp"
#include "search/search_radius.hpp"
#include "search/warnings.hpp"

namespace kann::detail {
namespace {

/// How many neighbours of some queries and their images are held at least, before each is in its row.
constexpr std::int64_t k_fewest = 1 << 17;

class PeriodicLists {
 public:
  PeriodicLists(const PlacedSearch& placed, const Index& index, const SearchOptions& options, std::int64_t most_listed)
      : placed_(placed),
        index_(index),
        options_(options),
        most_(most_listed),
        threads_(base::thread_count(options.threads)),
        imaged_{.box = placed.data->box(),
                .extent = placed.data->survey().box,
                .queries = placed.query_points(),
                .has_queries = true,
                .sq_radius = [&placed, sq_bound = geometry::WithinRadius(*options.radius).sq_bound()](
                                 std::int64_t query) { return placed.query_points().is_finite(query) ? sq_bound : -1; },
                .threads = threads_} {
    options_.periodic.clear();
    options_.on_progress = nullptr;
    result.lists.begins.push_back(0);
  }

  /// Adds the rows of `count` queries from `first` on. If what is found does not fit in memory, half as many at a time.
  void add(std::int64_t first, std::int64_t count) {
    QueryPlaces places;
    imaged_.append(first, count, places);
    const std::int64_t memory = count == 1 ? most_in_memory() : std::min(most_in_memory(), std::max(most_, k_fewest));
    const RadiusResult found = search_radius(index_, places.view(index_.dimensions()), options_, memory);
    if (found.lists.neighbors() > memory) {
      if (count == 1) static_cast<void>(with_lists(found, memory));  // throws
      add(first, count / 2);
      return add(first + count / 2, count - count / 2);
    }
    const SearchReport& report = found.report;
    if (result.report.query_points == 0) result.report = report;
    result.report.device_peak_bytes = std::max(result.report.device_peak_bytes, report.device_peak_bytes);
    options_.device.kind = report.device.kind;  // all searches run where the first does
    append(lists_of_queries(places, 0, count, found.lists, threads_,
                            [&](std::int64_t i, std::int32_t id) { return !placed_.drops_self || id != first + i; }));
  }

  RadiusResult result;

 private:
  /// Appends the lists of some queries to the result, whose ids and distances go where there are too many.
  void append(const NeighborLists& some) {
    NeighborLists& lists = result.lists;
    const std::int64_t before = lists.neighbors();
    for (std::size_t i = 1; i < some.begins.size(); ++i) lists.begins.push_back(before + some.begins[i]);
    if (lists.neighbors() <= most_) {
      lists.ids.insert(lists.ids.end(), some.ids.begin(), some.ids.end());
      lists.distances.insert(lists.distances.end(), some.distances.begin(), some.distances.end());
    } else {
      lists.ids = {};
      lists.distances = {};
    }
  }

  const PlacedSearch& placed_;
  const Index& index_;
  SearchOptions options_;
  const std::int64_t most_;
  const int threads_;
  const ImagedQueries imaged_;
};

}  // namespace

RadiusResult run_periodic_lists(const PointsView& data, const std::optional<AskedIndex>& index,
                                const std::optional<PointsView>& queries, const IndexOptions& of_data,
                                const SearchOptions& given, std::int64_t most_listed,
                                const std::optional<geometry::Box>& extent) {
  const base::DefaultFloatEnvironment environment;
  const auto start = std::chrono::steady_clock::now();
  const SearchOptions options = radius_options(given);
  const PlacedSearch placed(data, index, queries, of_data, options, extent);
  PeriodicLists lists(placed, placed.data->index(index ? &index->index : nullptr), options, most_listed);
  const std::int64_t count = placed.query_points().size();
  constexpr std::int64_t at_once = 1 << 14;
  for (std::int64_t first = 0; first == 0 || first < count; first += at_once) {
    if (given.on_progress) given.on_progress("search", static_cast<double>(first) / static_cast<double>(count + 1));
    lists.add(first, std::min(at_once, count - first));
  }
  RadiusResult result = std::move(lists.result);
  SearchReport& report = result.report;
  report.data_points = data.size();
  report.query_points = count;
  report.query_skipped = placed.query_survey.invalid;
  report.data_skipped = placed.data->survey().invalid;
  report.within_radius = result.lists.neighbors();
  report.warnings =
      row_warnings({0, data.dimensions, placed.data->survey(), placed.query_survey, placed.drops_self,
                    of_data.data_name, options.query_name, true},
                   std::ranges::count(result.lists.distances, std::numeric_limits<float>::infinity()), {});
  warn_of_images(options, {}, report.warnings);
  if (given.on_progress) given.on_progress("search", 1);
  report.total_seconds = base::seconds_since(start);
  return result;
}

}  // namespace kann::detail
