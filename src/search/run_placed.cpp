#include "search/run_placed.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/index.hpp"
#include "kann/search.hpp"

#include "base/float_environment.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "geometry/within_radius.hpp"
#include "problem/prepare.hpp"
#include "problem/survey.hpp"
#include "problem/valid_points.hpp"
#include "search/periodic/images.hpp"
#include "search/periodic/periodic_rows.hpp"
#include "search/periodic/placed_cloud.hpp"
#include "search/periodic/placed_data.hpp"
#include "search/rows/radius.hpp"
#include "search/search_radius.hpp"
#include "search/sphere_distances.hpp"
#include "search/warnings.hpp"

namespace kann::detail {
namespace {

/// A search on the sphere or in a periodic box: checked, with both clouds at the places where they are searched.
struct PlacedSearch {
  /// Blocks. @param index the index of the data; none if the data are searched only once
  /// @param queries none: the data are the queries
  /// @param extent as for PlacedData, without an index
  /// @throws Error as kann::search() does.
  PlacedSearch(const PointsView& data, const std::optional<AskedIndex>& index, const std::optional<PointsView>& queries,
               const IndexOptions& of_data, const SearchOptions& options,
               const std::optional<geometry::Box>& extent = {});

  std::shared_ptr<const PlacedData> data;
  std::unique_ptr<const PlacedCloud> queries;  ///< null: the data
  problem::Survey query_survey;
  bool drops_self = false;

  const PointsView& query_points() const { return queries ? queries->points() : data->points(); }
};

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

using Clock = std::chrono::steady_clock;

constexpr double StepSeconds::*k_steps[] = {
    &StepSeconds::prepare, &StepSeconds::start_up, &StepSeconds::upload, &StepSeconds::encode, &StepSeconds::sort,
    &StepSeconds::rank,    &StepSeconds::boxes,    &StepSeconds::select, &StepSeconds::rows,   &StepSeconds::download};

double sum_of(const StepSeconds& seconds) {
  double sum = 0;
  for (double StepSeconds::*const step : k_steps) sum += seconds.*step;
  return sum;
}

/// The options of the ordinary searches among placed points.
SearchOptions options_of_placed(const SearchOptions& options) {
  SearchOptions made = options.sky ? options_of_vectors(options) : options;
  made.periodic.clear();
  made.images = Images::nearest;
  return made;
}

/// The ordinary searches that make up a search on the sphere or in a periodic box. All run on the device that the first
/// one has taken.
class Searches {
 public:
  /// The share of the progress that the first search in a box, by the queries, stands for; the searches for images are
  /// the rest.
  static constexpr double k_first_share = 0.6;

  Searches(const Index& index, const SearchOptions& options)
      : index_(index), options_(options_of_placed(options)), tell_(options.on_progress) {
    if (options.sky) return;
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

/// The lists of all queries in a periodic box.
class PeriodicLists {
 public:
  /// @param first_own query 0 is the data point with this number; none: queries are no data points
  PeriodicLists(const PlacedSearch& placed, const Index& index, const SearchOptions& options, std::int64_t most_listed,
                std::optional<std::int64_t> first_own)
      : placed_(placed),
        index_(index),
        options_(options_of_placed(options)),
        tell_(options.on_progress),
        most_(most_listed),
        threads_(base::thread_count(options.threads)),
        images_(options, true),
        imaged_{.images = images_,
                .extent = placed.data->survey().box,
                .queries = placed.query_points(),
                .has_queries = true,
                .sq_radius = [&placed, sq_bound = geometry::WithinRadius(*options.radius).sq_bound()](
                                 std::int64_t query) { return placed.query_points().is_finite(query) ? sq_bound : -1; },
                .threads = threads_},
        first_own_(first_own),
        own_(first_own ? images_.sq_lengths : std::vector<double>()),
        drops_own_(first_own && (!options.include_self || !images_.only_nearest)) {
    if (!images_.only_nearest && options.include_self) own_.insert(own_.begin(), 0);
    options_.on_progress = nullptr;
    result_.lists.begins.push_back(0);
  }

  RadiusResult found() {
    const std::int64_t count = placed_.query_points().size();
    for (std::int64_t first = 0; first == 0 || first < count;) {
      if (tell_) tell_("search", static_cast<double>(first) / static_cast<double>(count + 1));
      const std::int64_t some = std::min(at_once_, count - first);
      if (add(first, some)) first += std::max<std::int64_t>(1, some);
    }
    join();
    return std::move(result_);
  }

 private:
  bool keeps_lists() const { return result_.lists.neighbors() <= most_; }

  /// Adds the lists of `count` queries from `first` on, and sets how many come next; false: they do not fit in memory,
  /// and nothing is added.
  bool add(std::int64_t first, std::int64_t count) {
    // What is found is held four times until each neighbour is in its list, beside the lists so far, which are held
    // twice when they are joined
    const std::int64_t together = std::max<std::int64_t>(most_ / 4, 1 << 15);
    const bool only_counts = !keeps_lists();
    const std::int64_t memory = only_counts ? -1 : count == 1 ? most_in_memory() : std::min(most_in_memory(), together);
    QueryPlaces places;
    imaged_.append(first, count, places);
    RadiusResult found = search_radius(index_, places.view(index_.dimensions()), options_, memory);
    constexpr std::int64_t most_at_once = 1 << 14;
    const std::int64_t found_here = std::max<std::int64_t>(1, found.lists.neighbors());
    const std::int64_t next = only_counts ? most_at_once : count * together / (2 * found_here);
    at_once_ = std::clamp<std::int64_t>(next, 1, std::min(2 * count + 1, most_at_once));
    if (!only_counts && found.lists.neighbors() > memory) {
      if (count == 1) static_cast<void>(with_lists(found, memory));  // throws
      return false;
    }
    const SearchReport& report = found.report;
    if (result_.report.query_points == 0) result_.report = report;
    result_.report.device_peak_bytes = std::max(result_.report.device_peak_bytes, report.device_peak_bytes);
    options_.device.kind = report.device.kind;  // all searches run where the first does
    Array<std::int64_t>& begins = result_.lists.begins;
    if (only_counts) {
      const Array<std::int64_t>& of_places = found.lists.begins;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t begin = places.begins[static_cast<std::size_t>(i)],
                           end = places.begins[static_cast<std::size_t>(i) + 1];
        begins.push_back(begins.back() + of_places[end] - of_places[begin]);
        if (drops_own_ && begin < end)
          begins.back() +=
              std::ssize(own_) - own_found(*first_own_ + first + i, places.view(index_.dimensions()).part(begin, end));
      }
      return true;
    }
    NeighborLists lists = lists_of_queries(places, found.lists, drops_own_ ? *first_own_ + first : -1, own_, threads_);
    const std::int64_t before = result_.lists.neighbors();
    for (std::size_t i = 1; i < lists.begins.size(); ++i) begins.push_back(before + lists.begins[i]);
    if (keeps_lists())
      parts_.push_back(std::move(lists));
    else
      parts_.clear();
    return true;
  }

  /// From how many places of a query its own data point is found.
  std::int64_t own_found(std::int64_t number, const PointsView& places) const {
    const geometry::WithinRadius is_within(*options_.radius);
    const Position own = position_of(placed_.data->points(), number);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < places.size(); ++i) {
      const Position at = position_of(places, i);
      count += is_within(at[0] - own[0], at[1] - own[1], at[2] - own[2]);
    }
    return count;
  }

  /// Puts the parts together, unless there were too many neighbours.
  void join() {
    if (!keeps_lists()) return;
    NeighborLists& lists = result_.lists;
    lists.ids.reserve(static_cast<std::size_t>(lists.neighbors()));
    lists.distances.reserve(static_cast<std::size_t>(lists.neighbors()));
    for (NeighborLists& part : parts_) {
      lists.ids.insert(lists.ids.end(), part.ids.begin(), part.ids.end());
      lists.distances.insert(lists.distances.end(), part.distances.begin(), part.distances.end());
      part = {};
    }
  }

  const PlacedSearch& placed_;
  const Index& index_;
  SearchOptions options_;
  const std::function<void(std::string_view step, double fraction)>& tell_;
  RadiusResult result_;  // its lists have no neighbours until they are joined
  std::vector<NeighborLists> parts_;
  const std::int64_t most_;
  std::int64_t at_once_ = 1 << 10;  // queries that are searched together
  const int threads_;
  const ImageRule images_;
  const ImagedQueries imaged_;
  const std::optional<std::int64_t> first_own_;
  std::vector<double> own_;  // squared distances of own images, and of the query itself if it is in its list
  const bool drops_own_;
};

/// Turns rows without a box into those in it. Returns how many distances are past float32.
std::int64_t put_in_box(const PlacedSearch& placed, const SearchOptions& options, Searches& searches,
                        SearchResult& result) {
  const PlacedData& data = *placed.data;
  const ImageRule images(options);
  const PeriodicRows in_box{
      .images = images,
      .data = data.points(),
      .queries = placed.query_points(),
      .extent = data.survey().box,
      .valid_data = data.survey().valid,
      .is_self = !placed.queries,
      .includes_self = options.include_self,
      .radius = options.radius,
      .threads = base::thread_count(options.threads),
      .search_at = [&](const Array<double>& at, std::int64_t k, double done) { return searches.at(at, k, done); }};
  const Within within = in_box.mend(result.neighbors);
  if (options.radius) {
    searches.report.within_radius = within.neighbors;
    searches.report.full_rows = within.full_rows;
  }
  return distances_past_float32(result.neighbors);
}

/// What the report of a search among placed points says otherwise. @param k 0: of lists
void describe(const PlacedSearch& placed, const PointsView& data, const IndexOptions& of_data,
              const SearchOptions& options, std::int64_t k, std::int64_t past_float32, SearchReport& report) {
  report.data_points = data.size();
  report.query_points = placed.query_points().size();
  report.data_skipped = placed.data->survey().invalid;
  report.query_skipped = placed.query_survey.invalid;
  report.dimensions = data.dimensions;
  const bool is_filled = options.images == Images::all;  // by further images of the points that there are
  report.warnings = row_warnings({is_filled ? 0 : k, data.dimensions, placed.data->survey(), placed.query_survey,
                                  placed.drops_self, of_data.data_name, placed.queries ? options.query_name : "", true},
                                 past_float32, {});
}

}  // namespace

SearchResult run_placed(const PointsView& data, const std::optional<AskedIndex>& index,
                        const std::optional<PointsView>& queries, const IndexOptions& of_data,
                        const SearchOptions& options, const std::optional<geometry::Box>& extent) {
  const base::DefaultFloatEnvironment environment;
  const auto start = Clock::now();
  const PlacedSearch placed(data, index, queries, of_data, options, extent);
  const double place_seconds = base::seconds_since(start);
  Searches searches(placed.data->index(index ? &index->index : nullptr), options);
  SearchResult result;
  result.neighbors = searches.of(placed.queries ? std::optional(placed.query_points()) : std::nullopt);
  std::int64_t past_float32 = 0;
  if (options.sky) {
    set_sphere_distances(placed.data->points(), placed.query_points(), *options.sky,
                         base::thread_count(options.threads), result.neighbors);
  } else {
    past_float32 = put_in_box(placed, options, searches, result);
  }
  SearchReport& report = result.report = std::move(searches.report);
  describe(placed, data, of_data, options, options.k, past_float32, report);
  warn_of_far_rows(options, far_rows(options, result.neighbors), report.warnings);
  if (options.on_progress) options.on_progress("search", 1);
  report.steps.prepare += place_seconds;
  report.total_seconds = base::seconds_since(start);
  report.steps.rows += std::max(0.0, report.total_seconds - sum_of(report.steps));
  return result;
}

RadiusResult run_placed_lists(const PointsView& data, const std::optional<AskedIndex>& index,
                              const std::optional<PointsView>& queries, const IndexOptions& of_data,
                              const SearchOptions& given, std::int64_t most_listed,
                              const std::optional<geometry::Box>& extent, std::optional<std::int64_t> own) {
  const base::DefaultFloatEnvironment environment;
  const auto start = Clock::now();
  const SearchOptions options = radius_options(given);
  const PlacedSearch placed(data, index, queries, of_data, options, extent);
  const double place_seconds = base::seconds_since(start);
  const Index& of_placed = placed.data->index(index ? &index->index : nullptr);
  RadiusResult result;
  if (options.sky) {
    result = search_radius(of_placed, placed.queries ? std::optional(placed.query_points()) : std::nullopt,
                           options_of_placed(options), most_listed);
    if (!result.lists.ids.empty())
      set_sphere_distances(placed.data->points(), placed.query_points(), *options.sky,
                           base::thread_count(options.threads), result.lists);
  } else {
    result = PeriodicLists(placed, of_placed, options, most_listed, placed.queries ? own : 0).found();
  }
  SearchReport& report = result.report;
  describe(placed, data, of_data, options, 0,
           std::ranges::count(result.lists.distances, std::numeric_limits<float>::infinity()), report);
  report.within_radius = result.lists.neighbors();
  if (given.on_progress) given.on_progress("search", 1);
  report.steps.prepare += place_seconds;
  report.total_seconds = base::seconds_since(start);
  report.steps.rows += std::max(0.0, report.total_seconds - sum_of(report.steps));
  return result;
}

}  // namespace kann::detail
