#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/groups.hpp"
#include "kann/sky.hpp"

#include "base/float_environment.hpp"
#include "base/host_memory.hpp"
#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "geometry/exact_neighbor.hpp"
#include "geometry/within_radius.hpp"
#include "problem/parameters.hpp"
#include "problem/prepare.hpp"
#include "problem/valid_points.hpp"
#include "search/groups/group_pairs.hpp"
#include "search/groups/group_rows.hpp"
#include "search/groups/slice_search.hpp"
#include "search/rows/radius.hpp"
#include "search/search_radius.hpp"
#include "search/sphere_distances.hpp"
#include "search/warnings.hpp"

namespace kann {
namespace detail {
namespace {

/// What both kinds of searches check, and their options.
struct GroupRequest {
  GroupRequest(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& given)
      : threads(base::thread_count(given.threads)), options(given) {
    problem::check_is_exact(given.method, "--group");
    problem::check_request(data, given.data_name, queries.value_or(data), options);
    of_data = problem::checked_survey(data, given.data_name, given.invalid, threads);
    of_queries = queries ? problem::checked_survey(*queries, given.query_name, given.invalid, threads) : of_data;
    problem::check_width(of_data, of_queries, given.data_name + " and " + given.query_name, data.dimensions);
  }

  int threads;
  SearchOptions options;
  problem::Survey of_data, of_queries;
};

void describe(const PointsView& data, const PointsView& queries, const GroupRequest& request,
              std::chrono::steady_clock::time_point start, SearchReport& report) {
  report.data_points = data.size();
  report.query_points = queries.size();
  report.data_skipped = request.of_data.invalid;
  report.query_skipped = request.of_queries.invalid;
  report.dimensions = data.dimensions;
  report.warnings.clear();
  report.total_seconds = base::seconds_since(start);
}

SearchResult nearest_in_groups(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups,
                               const SearchOptions& given) {
  const auto start = std::chrono::steady_clock::now();
  const GroupRequest request(data, queries, given);
  const PointsView& asking = queries ? *queries : data;
  const std::int64_t k = given.k;
  SearchResult result;
  Neighbors& rows = result.neighbors;
  rows = {asking.size(), k, {}, {}};
  rows.ids.resize(static_cast<std::size_t>(asking.size() * k), k_missing_id);
  rows.distances.resize(rows.ids.size(), std::numeric_limits<float>::infinity());

  // Where the squares of distances vanish, rows are merged before a radius leaves out what is in them
  SearchOptions options = request.options;
  const bool filters_rows = groups.rule == GroupRule::other && given.radius && given.periodic.empty() &&
                            geometry::WithinRadius(*given.radius).is_scaled();
  if (filters_rows) options.radius.reset();
  SliceSearch search(options, request.of_data.box, groups.rule);
  GroupPairs pairs(data, queries, groups, request.threads);
  const auto is_small = [&](std::int64_t points, std::int64_t asked) { return search.is_small(points, asked); };
  if (groups.rule == GroupRule::same) {
    pairs.for_each_group(is_small, [&](const SlicePair& pair) {
      const auto& [some, others, are_own, own_points] = pair;
      const Neighbors found = search.nearest(some, others, are_own, k);
      for (std::int64_t i = 0; i < found.queries; ++i)
        for (std::int64_t r = 0; r < k; ++r) {
          const std::int32_t place = found.ids[i * k + r];
          if (place == k_missing_id) break;
          const std::int64_t at = others.rows[static_cast<std::size_t>(i)] * k + r;
          rows.ids[at] = some.rows[static_cast<std::size_t>(place)];
          rows.distances[at] = found.distances[i * k + r];
        }
    });
  } else {
    MergedRows merged(asking.size(), k);
    const auto are_own = [&](std::int32_t query, std::int32_t point) { return pairs.are_of_one_group(query, point); };
    const auto add = [&](const SlicePair& pair) {
      const Neighbors found = search.nearest(pair.data, pair.queries, false, k + pair.own_points);
      return merged.add(search, pair.data, pair.queries, found, request.threads, are_own);
    };
    // With all images, a point may be in a row any number of times; with sets, most points may be of others
    if (given.images == Images::nearest && groups.sets.empty())
      pairs.answer_near_others(k, [&](const SlicePair& pair, std::vector<std::int32_t>& left) {
        const std::vector<std::uint8_t> are_answered = add(pair);
        for (std::size_t i = 0; i < are_answered.size(); ++i)
          if (!are_answered[i]) left.push_back(pair.queries.rows[i]);
      });
    pairs.for_each_half([&](const SlicePair& pair) { add(pair); });
    merged.write(rows, request.threads);
    const auto difference = [&](std::int64_t query, std::int64_t point) {
      std::array<double, 3> d{};
      for (int a = 0; a < data.dimensions; ++a)
        d[static_cast<std::size_t>(a)] = asking.at(query, a) - data.at(point, a);
      return d;
    };
    if (filters_rows) keep_within(*given.radius, given.method, request.threads, difference, rows);
  }

  SearchReport& report = result.report;
  report = search.report();
  std::int64_t found = 0, full = 0;
  for (std::int64_t i = 0; i < asking.size(); ++i) {
    const auto row = std::span(rows.ids).subspan(static_cast<std::size_t>(i * k), static_cast<std::size_t>(k));
    const auto missing = std::ranges::count(row, k_missing_id);
    found += k - missing;
    full += missing == 0;
  }
  if (given.radius) report.within_radius = found;
  if (given.radius) report.full_rows = full;
  describe(data, asking, request, start, report);
  if (const std::int64_t valid = request.of_queries.valid; !given.radius && full < valid)
    report.warnings.push_back(
        fmt::format("{} of {} queries have fewer than k={} neighbours{}; missing ones are id -1, "
                    "distance inf",
                    valid - full, valid, k, groups.rule == GroupRule::same ? " in their group" : " in other groups"));
  warn_of_far_rows(given, far_rows(given, rows), report.warnings);
  return result;
}

RadiusResult list_groups(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups,
                         const SearchOptions& given, bool only_counts) {
  const auto start = std::chrono::steady_clock::now();
  const GroupRequest request(data, queries, radius_options(given));
  const PointsView& asking = queries ? *queries : data;
  SliceSearch search(request.options, request.of_data.box, groups.rule);
  GroupPairs pairs(data, queries, groups, request.threads);
  JoinedLists lists(asking.size(), most_in_memory() / 2, only_counts);  // lists of groups are copied
  const auto add = [&](const SlicePair& pair) {
    const bool leaves_out = pair.own_points > 0;
    NeighborLists found = search.within(pair.data, pair.queries, pair.are_own, only_counts && !leaves_out);
    lists.add(pair.data, pair.queries, std::move(found), [&](std::int32_t query, std::int32_t point) {
      return leaves_out && pairs.are_of_one_group(query, point);
    });
  };
  if (groups.rule == GroupRule::same) {
    pairs.for_each_group([&](std::int64_t points, std::int64_t asked) { return search.is_small(points, asked); }, add);
  } else {
    if (groups.sets.empty()) pairs.answer_small_groups(add);
    pairs.for_each_half(add);
  }
  RadiusResult result{lists.joined(request.threads), search.report()};
  result.report.within_radius = result.lists.neighbors();
  describe(data, asking, request, start, result.report);
  return result;
}

/// A search on the sphere, as one of unit vectors.
template <class Result, class Search, class SetDistances>
Result on_the_sky(const PointsView& data, const std::optional<PointsView>& queries, const SearchOptions& options,
                  const Search& search, const SetDistances& set_distances) {
  const Points of_data = on_sphere(data, options.data_name, options.threads);
  std::optional<Points> of_queries;
  if (queries) of_queries = on_sphere(*queries, options.query_name, options.threads);
  Result result =
      search(of_data, of_queries ? std::optional<PointsView>(*of_queries) : std::nullopt, options_of_vectors(options));
  set_distances(of_data, of_queries ? *of_queries : of_data, result);
  result.report.dimensions = 2;
  return result;
}

RadiusResult radius_groups(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups,
                           const SearchOptions& options, bool only_counts) {
  const base::DefaultFloatEnvironment environment;
  if (!options.sky) return list_groups(data, queries, groups, options, only_counts);
  return on_the_sky<RadiusResult>(
      data, queries, options,
      [&](const PointsView& some, const std::optional<PointsView>& others, const SearchOptions& inner) {
        return list_groups(some, others, groups, inner, only_counts);
      },
      [&](const Points& some, const Points& others, RadiusResult& result) {
        if (!only_counts)
          set_sphere_distances(some, others, *options.sky, base::thread_count(options.threads), result.lists);
      });
}

}  // namespace
}  // namespace detail

SearchResult search_groups(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups,
                           const SearchOptions& options) {
  const base::DefaultFloatEnvironment environment;
  if (!options.sky) return detail::nearest_in_groups(data, queries, groups, options);
  return detail::on_the_sky<SearchResult>(
      data, queries, options,
      [&](const PointsView& some, const std::optional<PointsView>& others, const SearchOptions& inner) {
        return detail::nearest_in_groups(some, others, groups, inner);
      },
      [&](const Points& some, const Points& others, SearchResult& result) {
        detail::set_sphere_distances(some, others, *options.sky, base::thread_count(options.threads), result.neighbors);
      });
}

RadiusResult search_radius_groups(const PointsView& data, const std::optional<PointsView>& queries,
                                  const Groups& groups, const SearchOptions& options) {
  return detail::radius_groups(data, queries, groups, options, false);
}

RadiusResult count_radius_groups(const PointsView& data, const std::optional<PointsView>& queries, const Groups& groups,
                                 const SearchOptions& options) {
  return detail::radius_groups(data, queries, groups, options, true);
}

}  // namespace kann
