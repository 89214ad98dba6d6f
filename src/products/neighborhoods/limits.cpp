#include "kann/limits.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kann/error.hpp"
#include "kann/sky.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "geometry/distance.hpp"
#include "geometry/within_radius.hpp"
#include "products/attributes/differences.hpp"

namespace kann {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();

/// A limit of each query.
struct LimitPerQuery {
  std::span<const double> given;
  double by_default;

  double of(std::int64_t query) const {
    return given.empty() ? by_default : given[given.size() == 1 ? 0 : static_cast<std::size_t>(query)];
  }
};

/// What a query has that is not searched does not matter.
void check(std::span<const double> limits, const PointsView& queries, const char* name) {
  if (limits.size() > 1 && std::ssize(limits) != queries.size())
    throw Error(ErrorKind::usage, fmt::format("{} expects a number for each of the {} queries, got {} numbers", name,
                                              queries.size(), limits.size()));
  for (std::int64_t i = 0; i < std::ssize(limits); ++i)
    if (const double limit = limits[static_cast<std::size_t>(i)];
        !(limit >= 0) && (limits.size() == 1 || queries.is_finite(i)))
      throw Error(ErrorKind::usage,
                  fmt::format("{} expects numbers of at least 0, got {} for query {}", name, limit, i));
}

/// How far a neighbour is from a query, in float64, where its distance in float32 does not tell on which side of a
/// limit it is.
class ExactDistances {
 public:
  ExactDistances(const PointsView& data, const PointsView& queries, const SearchOptions& options)
      : data_(data), queries_(queries), sky_(options.sky) {
    if (!sky_) differences_.emplace(data, queries, options.periodic, options.images, "limits");
  }

  /// @param ids, distances of the row of a query
  void set_row(std::int64_t query, std::span<const std::int32_t> ids, std::span<const float> distances) {
    query_ = query;
    ids_ = ids;
    if (differences_) differences_->set_row(query, ids, distances);
  }

  /// Between unit vectors on the sphere.
  std::array<double, 3> to(std::size_t place) const {
    if (differences_) return differences_->to(place);
    const auto on_unit_sphere = [](const PointsView& points, std::int64_t i) {
      return on_sphere(points.part(i, i + 1), "limits", 1);
    };
    const Points point = on_unit_sphere(data_, ids_[place]), query = on_unit_sphere(queries_, query_);
    return {point.at(0, 0) - query.at(0, 0), point.at(0, 1) - query.at(0, 1), point.at(0, 2) - query.at(0, 2)};
  }

 private:
  const PointsView &data_, &queries_;
  const std::optional<AngleUnit> sky_;
  std::optional<attributes::Differences> differences_;
  std::int64_t query_ = 0;
  std::span<const std::int32_t> ids_;
};

class LimitedSearch {
 public:
  LimitedSearch(const LimitedClouds& clouds, const Limits& limits, const SearchOptions& options)
      : clouds_(clouds),
        queries_(clouds.queries.value_or(clouds.data)),
        radii_{limits.radii, options.radius.value_or(k_infinity)},
        min_radii_{limits.min_radii, 0},
        excluded_(limits.excluded),
        options_(options),
        threads_(base::thread_count(options.threads)),
        index_(clouds.index) {
    if (options.method != Method::exact)
      throw Error(ErrorKind::usage, fmt::format("--method {} does not go with --min-radius, excluded points or a "
                                                "--radius of each query, whose answer is exact",
                                                name_of(options.method)));
    check(limits.radii, queries_, "--radius");
    check(limits.min_radii, queries_, "--min-radius");
    if (queries_.size() > 0 && limits.radii.empty() && limits.min_radii.size() == 1 &&
        limits.min_radii.front() > radii_.by_default)
      throw Error(ErrorKind::usage,
                  fmt::format("--min-radius {} is more than --radius {}: no neighbour is between them",
                              limits.min_radii.front(), radii_.by_default));
    const std::int64_t m = queries_.size(), n = clouds.data.size();
    if (m > 0 && std::ssize(excluded_) % m != 0)
      throw Error(ErrorKind::usage, fmt::format("limits: {} excluded points for {} queries", excluded_.size(), m));
    per_query_ = m > 0 ? excluded_.size() / static_cast<std::size_t>(m) : 0;
    const auto none = std::ranges::find_if(excluded_, [n](std::int32_t id) { return id >= n; });
    if (none != excluded_.end())
      throw Error(ErrorKind::bad_input, fmt::format("exclude: {} is none of the {} rows of the data", *none, n));
    if (!clouds.index && !clouds.groups)
      index_ = &own_index_.emplace(clouds.data, IndexOptions{options.invalid, options.threads, options.data_name});
  }

  SearchResult nearest() const;
  RadiusResult within(bool only_counts) const;

 private:
  /// What a search has found for some queries: the data points of its rows are those up to `radius`.
  struct Searched {
    double radius = k_infinity;
    bool has_own = false;  // the data point that is the query itself is in its row
  };

  SearchResult search(const std::optional<PointsView>& queries, const std::optional<Groups>& groups,
                      const SearchOptions& options) const {
    if (groups) return search_groups(clouds_.data, queries, *groups, options);
    return queries ? index_->search(*queries, options) : index_->search_self(options);
  }
  RadiusResult list(const std::optional<PointsView>& queries, const std::optional<Groups>& groups,
                    const SearchOptions& options) const {
    if (groups) return search_radius_groups(clouds_.data, queries, *groups, options);
    return queries ? index_->search_radius(*queries, options) : index_->search_radius_self(options);
  }

  /// Calls find(queries, groups) with some of the queries.
  template <class Find>
  auto of_some(std::span<const std::int64_t> numbers, Find find) const {
    const auto d = static_cast<std::size_t>(queries_.dimensions);
    return std::visit(
        [&]<class T>(std::span<const T> all) {
          Array<T> some(numbers.size() * d);
          for (std::size_t i = 0; i < numbers.size(); ++i)
            std::copy_n(all.begin() + numbers[i] * queries_.dimensions, d,
                        some.begin() + static_cast<std::ptrdiff_t>(i * d));
          std::optional<Groups> groups = clouds_.groups;
          std::vector<std::int64_t> labels;
          if (groups) {
            const auto of_all = clouds_.queries ? groups->queries : groups->data;
            for (const std::int64_t number : numbers) labels.push_back(of_all[static_cast<std::size_t>(number)]);
            groups->queries = labels;
          }
          return find(PointsView(queries_.dimensions, some), groups);
        },
        queries_.coordinates);
  }

  /// Sets `kept` to the places of a row whose neighbours the query allows. Returns whether some were too far.
  bool keep(const Searched& searched, ExactDistances& exact, std::int64_t query, std::span<const std::int32_t> ids,
            std::span<const float> distances, std::vector<std::size_t>& kept) const;

  /// Moves what is found for some queries into the rows of all. Returns the queries that need more neighbours.
  std::vector<std::int64_t> take(const Searched& searched, std::span<const std::int64_t> numbers,
                                 const Neighbors& found, Neighbors& rows) const;

  bool drops_own() const { return !clouds_.queries && !options_.include_self; }

  const LimitedClouds& clouds_;
  const PointsView queries_;
  const LimitPerQuery radii_, min_radii_;
  const std::span<const std::int32_t> excluded_;
  const SearchOptions& options_;
  const int threads_;
  std::size_t per_query_ = 0;  // excluded points
  std::optional<Index> own_index_;
  const Index* index_;  // null, if there are groups
};

bool LimitedSearch::keep(const Searched& searched, ExactDistances& exact, std::int64_t query,
                         std::span<const std::int32_t> ids, std::span<const float> distances,
                         std::vector<std::size_t>& kept) const {
  kept.clear();
  const auto excluded = excluded_.subspan(static_cast<std::size_t>(query) * per_query_, per_query_);
  const double most = radii_.of(query), least = min_radii_.of(query);
  const bool has_most = most < searched.radius;
  const bool has_least = least > 0;
  const auto as_compared = [&](double limit) {
    return geometry::WithinRadius(options_.sky ? chord(limit, *options_.sky) : limit);
  };
  const geometry::WithinRadius is_within = as_compared(most), from_least = as_compared(least);
  const geometry::DecidedDistances far(most), near(least);
  exact.set_row(query, ids, distances);
  bool has_own = searched.has_own;  // and maybe images of it behind it
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double distance = distances[i];
    if (has_own && ids[i] == query) {
      has_own = false;
      continue;
    }
    if (has_most && distance > far.beyond) return true;  // and those that follow
    if (has_most && !(distance < far.within) && !is_within(exact.to(i))) continue;
    if (has_least && distance < near.within) continue;
    if (has_least && !(distance > near.beyond) && !from_least.is_reached(exact.to(i))) continue;
    if (std::ranges::find(excluded, ids[i]) == excluded.end()) kept.push_back(i);
  }
  return false;
}

/// Cuts a row to its k nearest neighbours by (d², id). Rows are in the order of their distances in float32, which may
/// be equal where d² is not.
void cut(std::size_t k, const ExactDistances& exact, std::span<const std::int32_t> ids,
         std::span<const float> distances, std::vector<std::size_t>& kept) {
  if (kept.size() <= k) return;
  const float last = distances[kept[k - 1]];
  if (distances[kept[k]] == last) {
    const auto is_nearer = [&](std::size_t place, float distance) { return distances[place] < distance; };
    const auto begin = std::lower_bound(kept.begin(), kept.end(), last, is_nearer);
    const auto end = std::find_if(begin, kept.end(), [&](std::size_t place) { return distances[place] > last; });
    std::vector<std::pair<std::pair<double, std::int32_t>, std::size_t>> equal;
    for (auto place = begin; place != end; ++place) {
      const std::array<double, 3> to = exact.to(*place);
      equal.push_back({{geometry::sq_distance_3d(to[0], to[1], to[2]), ids[*place]}, *place});
    }
    std::ranges::sort(equal);
    std::ranges::transform(equal, begin, [](const auto& neighbor) { return neighbor.second; });
    kept.resize(k);
    std::sort(begin, kept.end());
  }
  kept.resize(k);
}

std::vector<std::int64_t> LimitedSearch::take(const Searched& searched, std::span<const std::int64_t> numbers,
                                              const Neighbors& found, Neighbors& rows) const {
  const auto k = static_cast<std::size_t>(rows.k);
  std::vector<std::uint8_t> needs_more(static_cast<std::size_t>(found.queries));
  constexpr std::int64_t grain = 1024;
  base::parallel_chunks(found.queries, grain, threads_, [&](std::int64_t begin, std::int64_t end) {
    ExactDistances exact(clouds_.data, queries_, options_);
    std::vector<std::size_t> kept;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto [first, last] = static_cast<Rows>(found).row(i);
      const std::int64_t query = numbers.empty() ? i : numbers[static_cast<std::size_t>(i)];
      const auto ids = std::span(found.ids).subspan(first, last - first);
      const auto distances = std::span(found.distances).subspan(first, last - first);
      const bool is_past = keep(searched, exact, query, ids, distances, kept);
      needs_more[static_cast<std::size_t>(i)] = kept.size() < k && std::ssize(ids) == found.k && !is_past;
      cut(k, exact, ids, distances, kept);
      std::size_t to = static_cast<std::size_t>(query) * k;
      for (const std::size_t place : kept) {
        rows.ids[to] = ids[place];
        rows.distances[to++] = distances[place];
      }
    }
  });
  std::vector<std::int64_t> left;
  for (std::size_t i = 0; i < needs_more.size(); ++i)
    if (needs_more[i]) left.push_back(numbers.empty() ? static_cast<std::int64_t>(i) : numbers[i]);
  return left;
}

SearchResult LimitedSearch::nearest() const {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t m = queries_.size(), n = clouds_.data.size(), k = options_.k;
  Searched searched;
  if (!radii_.given.empty() || options_.radius) {
    searched.radius = 0;
    for (std::int64_t i = 0; i < m; ++i) searched.radius = std::max(searched.radius, radii_.of(i));
  }
  // Where squares vanish, a radius takes points out of a row that others would have been in
  constexpr double smallest_squared = 0x1p-400;
  if (searched.radius < smallest_squared) searched.radius = k_infinity;
  SearchOptions asked = options_;
  asked.radius = std::isinf(searched.radius) ? std::nullopt : std::optional(searched.radius);
  const bool has_images = options_.images == Images::all;
  const auto at_most = [&](std::int64_t more) {
    return has_images ? more : std::clamp<std::int64_t>(more, k, std::max(k, n + 1));
  };
  const std::int64_t first_k = at_most(k + static_cast<std::int64_t>(per_query_) + (min_radii_.given.empty() ? 0 : k));
  asked.k = first_k;

  Neighbors rows{m, k, {}, {}};
  rows.ids.resize(static_cast<std::size_t>(m * k), k_missing_id);
  rows.distances.resize(rows.ids.size(), std::numeric_limits<float>::infinity());
  SearchResult result = search(clouds_.queries, clouds_.groups, asked);
  std::vector<std::int64_t> left = take(searched, {}, result.neighbors, rows);
  searched.has_own = drops_own();
  asked.on_progress = nullptr;
  while (!left.empty()) {
    asked.k = at_most(8 * asked.k);
    constexpr std::int64_t places = 1 << 24;  // of neighbours that are held at a time
    const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(1, places / asked.k));
    std::vector<std::int64_t> still_left;
    for (std::size_t begin = 0; begin < left.size(); begin += at_once) {
      const auto some = std::span(left).subspan(begin, std::min(at_once, left.size() - begin));
      SearchResult found = of_some(some, [&](const PointsView& queries, const std::optional<Groups>& groups) {
        return search(queries, groups, asked);
      });
      std::ranges::copy(take(searched, some, found.neighbors, rows), std::back_inserter(still_left));
    }
    left = std::move(still_left);
  }

  SearchReport& report = result.report;
  std::int64_t full = 0, neighbors = 0;
  for (std::int64_t i = 0; i < m; ++i) {
    const auto [begin, end] = static_cast<Rows>(rows).row(i);
    neighbors += static_cast<std::int64_t>(end - begin);
    full += static_cast<std::int64_t>(end - begin) == k;
  }
  const bool has_radius = options_.radius || !radii_.given.empty();
  report.within_radius = has_radius ? std::optional(neighbors) : std::nullopt;
  report.full_rows = has_radius ? std::optional(full) : std::nullopt;
  // Not of a k that nobody has asked for
  std::erase_if(report.warnings, [of_more = fmt::format("k={} ", first_k)](const std::string& text) {
    return text.starts_with(of_more) || text.find(" fewer than " + of_more) != std::string::npos;
  });
  if (const std::int64_t valid = m - report.query_skipped; !has_radius && full < valid)
    report.warnings.push_back(
        fmt::format("{} of {} queries have fewer than k={} neighbours within their limits; missing "
                    "ones are id -1, distance inf",
                    valid - full, valid, k));
  result.neighbors = std::move(rows);
  report.total_seconds = base::seconds_since(start);
  return result;
}

RadiusResult LimitedSearch::within(bool only_counts) const {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t m = queries_.size();
  std::map<int, std::vector<std::int64_t>> classes;  // by the exponents of the radii
  for (std::int64_t i = 0; i < m; ++i) classes[std::ilogb(radii_.of(i))].push_back(i);
  if (classes.empty()) classes[0];
  const bool is_whole = classes.size() == 1;

  RadiusResult result;
  std::vector<std::pair<std::vector<std::int64_t>, NeighborLists>> parts;
  Array<std::int64_t>& begins = result.lists.begins;
  begins.resize(static_cast<std::size_t>(m + 1), 0);
  for (auto& of_exponent : classes) {
    std::vector<std::int64_t>& numbers = of_exponent.second;
    Searched searched{.radius = 0, .has_own = drops_own() && !is_whole};
    for (const std::int64_t i : numbers) searched.radius = std::max(searched.radius, radii_.of(i));
    SearchOptions asked = options_;
    if (!radii_.given.empty() || m == 0) asked.radius = std::min(searched.radius, std::numeric_limits<double>::max());
    if (!parts.empty()) asked.on_progress = nullptr;
    RadiusResult found = is_whole
                             ? list(clouds_.queries, clouds_.groups, asked)
                             : of_some(numbers, [&](const PointsView& queries, const std::optional<Groups>& groups) {
                                 return list(queries, groups, asked);
                               });
    NeighborLists& lists = found.lists;
    constexpr std::int64_t grain = 256;
    base::parallel_chunks(std::ssize(numbers), grain, threads_, [&](std::int64_t begin, std::int64_t end) {
      ExactDistances exact(clouds_.data, queries_, options_);
      std::vector<std::size_t> kept;
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [first, last] = static_cast<Rows>(lists).row(i);
        const auto ids = std::span(lists.ids).subspan(first, last - first);
        const auto distances = std::span(lists.distances).subspan(first, last - first);
        const std::int64_t query = numbers[static_cast<std::size_t>(i)];
        keep(searched, exact, query, ids, distances, kept);
        for (std::size_t to = 0; to < kept.size(); ++to) {
          ids[to] = ids[kept[to]];
          distances[to] = distances[kept[to]];
        }
        begins[static_cast<std::size_t>(query) + 1] = std::ssize(kept);
      }
    });
    if (only_counts) lists = {};
    if (parts.empty())
      result.report = std::move(found.report);
    else
      result.report.query_skipped += found.report.query_skipped;
    parts.emplace_back(std::move(numbers), std::move(lists));
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  if (!only_counts) {
    result.lists.ids.resize(static_cast<std::size_t>(begins.back()));
    result.lists.distances.resize(result.lists.ids.size());
    for (auto& [numbers, lists] : parts) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int64_t to = begins[static_cast<std::size_t>(numbers[i])],
                           count = begins[static_cast<std::size_t>(numbers[i]) + 1] - to;
        std::copy_n(lists.ids.begin() + lists.begins[i], count, result.lists.ids.begin() + to);
        std::copy_n(lists.distances.begin() + lists.begins[i], count, result.lists.distances.begin() + to);
      }
      lists = {};  // so that its memory is given back
    }
  }
  result.report.query_points = m;
  result.report.within_radius = begins.back();
  result.report.total_seconds = base::seconds_since(start);
  return result;
}

}  // namespace

SearchResult search_limited(const LimitedClouds& clouds, const Limits& limits, const SearchOptions& options) {
  return LimitedSearch(clouds, limits, options).nearest();
}

RadiusResult search_radius_limited(const LimitedClouds& clouds, const Limits& limits, const SearchOptions& options) {
  return LimitedSearch(clouds, limits, options).within(false);
}

RadiusResult count_radius_limited(const LimitedClouds& clouds, const Limits& limits, const SearchOptions& options) {
  return LimitedSearch(clouds, limits, options).within(true);
}

}  // namespace kann
