#include "search/search_radius.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "base/host_memory.hpp"
#include "base/seconds_since.hpp"
#include "problem/parameters.hpp"
#include "problem/prepare.hpp"
#include "search/run_placed.hpp"
#include "search/run_search.hpp"
#include "search/warnings.hpp"

namespace kann {
namespace detail {
namespace {

/// The warnings about lists, as those about rows.
std::vector<std::string> warnings_about_lists(const problem::Prepared& prepared, const NeighborLists& lists) {
  FirstDistances first(lists.queries());
  std::int64_t past_float32 = 0;
  if (!lists.ids.empty()) {
    for (std::int64_t i = 0; i < lists.queries(); ++i)
      if (const std::int64_t at = lists.begins[i]; at < lists.begins[i + 1])
        first.add(i, lists.ids[at], lists.distances[at]);
    past_float32 = std::ranges::count(lists.distances, std::numeric_limits<float>::infinity());
  }
  const problem::Problem& p = prepared.problem;
  return row_warnings({0, p.dimensions, prepared.data->survey, prepared.queries, p.drop_self, prepared.data->name,
                       prepared.query_name, false},
                      past_float32, first.distances());
}

}  // namespace

SearchOptions radius_options(const SearchOptions& given) {
  if (!given.radius) throw Error(ErrorKind::usage, "--k all needs a radius (--radius)");
  problem::check_is_exact(given.method, "--k all");
  SearchOptions options = given;
  options.k = 1;
  return options;
}

RadiusResult run_radius(const SearchOptions& options, KeptIndexes* index, const Prepare& prepare,
                        std::int64_t most_listed) {
  const base::DefaultFloatEnvironment environment;
  Solved solved = solve(options, index, [&] {
    problem::Prepared prepared = prepare();
    prepared.problem.list_radius = options.radius;
    prepared.problem.k = 0;
    prepared.problem.most_listed = most_listed;
    return prepared;
  });
  RadiusResult result{
      problem::restore_lists(std::move(solved.answer.lists), solved.prepared, solved.report.query_points),
      std::move(solved.report)};
  result.report.within_radius = result.lists.neighbors();
  result.report.warnings = warnings_about_lists(solved.prepared, result.lists);
  result.report.total_seconds = base::seconds_since(solved.start);
  return result;
}

std::int64_t most_in_memory() {
  return static_cast<std::int64_t>(static_cast<double>(base::available_host_memory()) / k_bytes_per_listed);
}

std::int64_t most_in_memory(std::int64_t points, std::int64_t queries, const SearchOptions& options) {
  const double pairs = static_cast<double>(points) * static_cast<double>(queries);
  const bool are_few = options.images == Images::nearest && k_bytes_per_listed * pairs < base::k_unchecked_bytes;
  return are_few ? points * queries : most_in_memory();
}

void refuse_lists(std::int64_t neighbors, std::int64_t most) {
  throw Error(ErrorKind::resources,
              fmt::format("host memory: {} neighbours within the radius need {}, {} are available", neighbors,
                          base::bytes_text(k_bytes_per_listed * static_cast<double>(neighbors)),
                          base::bytes_text(k_bytes_per_listed * static_cast<double>(most))));
}

RadiusResult with_lists(RadiusResult result, std::int64_t most) {
  if (result.lists.neighbors() > most) refuse_lists(result.lists.neighbors(), most);
  return result;
}

RadiusResult search_radius(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& given,
                           std::int64_t most_listed, const std::optional<geometry::Box>& extent) {
  const IndexOptions of_data{given.invalid, given.threads, given.data_name};
  if (are_placed(given)) return run_placed_lists(data, {}, queries, of_data, given, most_listed, extent);
  const SearchOptions options = radius_options(given);
  return run_radius(
      options, nullptr, [&] { return problem::prepare(data, queries, options); }, most_listed);
}

}  // namespace detail

RadiusResult search_radius(const PointsView& data, const PointsView& queries, const SearchOptions& options) {
  const std::int64_t most = detail::most_in_memory(data.size(), queries.size(), options);
  return detail::with_lists(detail::search_radius(data, queries, options, most), most);
}

RadiusResult search_radius_self(const PointsView& data, const SearchOptions& options) {
  const std::int64_t most = detail::most_in_memory(data.size(), data.size(), options);
  return detail::with_lists(detail::search_radius(data, std::nullopt, options, most), most);
}

RadiusResult count_radius(const PointsView& data, const PointsView& queries, const SearchOptions& options) {
  return detail::search_radius(data, queries, options, -1);
}

RadiusResult count_radius_self(const PointsView& data, const SearchOptions& options) {
  return detail::search_radius(data, std::nullopt, options, -1);
}

}  // namespace kann
