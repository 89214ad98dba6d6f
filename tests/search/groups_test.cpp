// kann::search_groups(): rows are those of brute force among the points that the groups allow.
#include "kann/groups.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "cpu_search.hpp"
#include "problems.hpp"
#include "products/accuracy/periodic_answer.hpp"

namespace kann::test {
namespace {

using Labels = std::vector<std::int64_t>;
using Row = std::vector<std::pair<float, std::int32_t>>;

/// Clouds and labels: `group_count` groups of uneven sizes; every eleventh point has none.
struct GroupCase {
  Points data, queries;
  Labels data_labels, query_labels;
  bool is_self;
  GroupRule rule;

  Groups groups() const { return {data_labels, is_self ? std::span<const std::int64_t>() : query_labels, rule}; }
  std::optional<PointsView> asked() const { return is_self ? std::nullopt : std::optional<PointsView>(queries); }
};

Labels uneven_labels(std::int64_t count, std::int64_t group_count, std::uint64_t seed) {
  Random r(seed);
  Labels labels;
  for (std::int64_t i = 0; i < count; ++i)
    labels.push_back(i % 11 == 10
                         ? -1 - static_cast<std::int64_t>(r.below(3))
                         : 7 * static_cast<std::int64_t>(std::pow(r.uniform(), 3) * static_cast<double>(group_count)));
  return labels;
}

Row brute_row(const GroupCase& c, std::int64_t query, std::int64_t k, double radius, bool with_self) {
  const Points& queries = c.is_self ? c.data : c.queries;
  const Labels& labels = c.is_self ? c.data_labels : c.query_labels;
  std::vector<std::pair<double, std::int32_t>> all;
  for (std::int64_t id = 0; id < c.data.size() && labels[query] >= 0; ++id) {
    const bool is_same = c.data_labels[id] == labels[query];
    if (c.data_labels[id] < 0 || is_same != (c.rule == GroupRule::same)) continue;
    if (c.is_self && id == query && !with_self) continue;
    double sum = 0;
    for (int a = 0; a < c.data.dimensions; ++a) {
      const double x = queries.at(query, a) - c.data.at(id, a);
      sum = a == 0 ? x * x : std::fma(x, x, sum);
    }
    if (sum <= radius * radius) all.emplace_back(sum, static_cast<std::int32_t>(id));
  }
  std::ranges::sort(all);
  all.resize(std::min<std::size_t>(all.size(), static_cast<std::size_t>(k)));
  Row row;
  for (const auto& [sq_dist, id] : all)
    row.emplace_back(static_cast<float>(std::sqrt(static_cast<long double>(sq_dist))), id);
  std::ranges::sort(row);
  return row;
}

void expect_brute_rows(const GroupCase& c, std::int64_t k, bool with_self = false) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  SearchOptions options = cpu_options(k);
  options.include_self = with_self;
  const SearchResult got = search_groups(c.data, c.asked(), c.groups(), options);
  const std::int64_t m = c.is_self ? c.data.size() : c.queries.size();
  ASSERT_EQ(got.neighbors.queries, m);
  for (std::int64_t query = 0; query < m; ++query) {
    Row row;
    for (std::int64_t i = query * k; i < (query + 1) * k && got.neighbors.ids[i] != k_missing_id; ++i)
      row.emplace_back(got.neighbors.distances[i], got.neighbors.ids[i]);
    ASSERT_EQ(row, brute_row(c, query, k, infinity, with_self)) << query;
  }
  for (const double radius : {0.0, 0.05, 0.4}) {
    options.radius = radius;
    const RadiusResult lists = search_radius_groups(c.data, c.asked(), c.groups(), options);
    EXPECT_EQ(lists.lists.begins, count_radius_groups(c.data, c.asked(), c.groups(), options).lists.begins);
    for (std::int64_t query = 0; query < m; ++query) {
      Row row;
      for (std::int64_t i = lists.lists.begins[query]; i < lists.lists.begins[query + 1]; ++i)
        row.emplace_back(lists.lists.distances[i], lists.lists.ids[i]);
      ASSERT_EQ(row, brute_row(c, query, c.data.size(), radius, with_self)) << query << ' ' << radius;
    }
  }
}

class GroupsTest : public testing::TestWithParam<GroupRule> {};
INSTANTIATE_TEST_SUITE_P(Rules, GroupsTest, testing::Values(GroupRule::same, GroupRule::other),
                         [](const auto& rule) { return rule.param == GroupRule::same ? "same" : "other"; });

TEST_P(GroupsTest, RowsAreThoseOfBruteForce) {
  for (const CloudKind& kind : all_clouds())
    for (const std::int64_t groups : {1, 2, 3, 40})
      for (const bool is_self : {true, false}) {
        SCOPED_TRACE(kind.name + ' ' + std::to_string(groups) + ' ' + std::to_string(is_self));
        const int d = groups % 2 == 0 ? 2 : 3;
        expect_brute_rows({to_points(kind.make(500, d, 1), d), to_points(kind.make(130, d, 2), d),
                           uneven_labels(500, groups, 3), uneven_labels(130, groups + 1, 4), is_self, GetParam()},
                          5, groups == 3);
      }
}

/// Groups that are too large for brute force.
TEST_P(GroupsTest, RowsOfLargeGroupsAreThoseOfBruteForce) {
  for (const bool is_self : {true, false})
    expect_brute_rows({to_points(lattice(3000, 3, 5), 3), to_points(lattice(700, 3, 6), 3), uneven_labels(3000, 4, 7),
                       uneven_labels(700, 4, 8), is_self, GetParam()},
                      7);
}

TEST_P(GroupsTest, HaveNoPointsOrFew) {
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6})
    for (const std::int64_t m : {0, 1, 3})
      expect_brute_rows({to_points(uniform(n, 3, 1), 3), to_points(uniform(m, 3, 2), 3), uneven_labels(n, 2, 3),
                         uneven_labels(m, 2, 4), m == 0, GetParam()},
                        5);
}

/// Groups of both kinds beside each other, in a lattice full of ties.
TEST_P(GroupsTest, MayBeSmallAndLarge) {
  Labels labels = uneven_labels(2500, 3, 7);
  for (std::size_t i = 0; i < labels.size(); i += 3) labels[i] = 1000 + static_cast<std::int64_t>(i / 40);
  Labels of_queries(labels.begin(), labels.begin() + 600);
  of_queries[5] = 77;  // a group without data
  for (const bool is_self : {true, false})
    expect_brute_rows(
        {to_points(lattice(2500, 3, 5), 3), to_points(lattice(600, 3, 6), 3), labels, of_queries, is_self, GetParam()},
        6, is_self);
}

TEST_P(GroupsTest, AreAsManyAsPoints) {
  Labels own;
  for (std::int64_t i = 0; i < 2000; ++i) own.push_back(i);
  expect_brute_rows({to_points(clusters(2000, 3, 1), 3), {3, Array<float>()}, own, {}, true, GetParam()}, 3);
}

TEST_P(GroupsTest, AreSearchedOnTheSky) {
  Random r(1);
  Array<double> angles;
  for (int i = 0; i < 400; ++i) {
    angles.push_back(360 * r.uniform());
    angles.push_back(178 * r.uniform() - 89);
  }
  const Points sky{2, angles};
  const Labels labels = uneven_labels(400, 3, 5);
  SearchOptions options = cpu_options(4);
  options.sky = AngleUnit::deg;
  const SearchResult got = search_groups(sky, std::nullopt, {labels, {}, GetParam()}, options);
  SearchOptions whole = options;
  whole.k = 400;
  const SearchResult all = search_self(sky, whole);
  for (std::int64_t query = 0; query < 400; ++query) {
    Row want, row;
    for (std::int64_t i = query * 400; i < (query + 1) * 400 && all.neighbors.ids[i] != k_missing_id; ++i) {
      const std::int64_t label = labels[all.neighbors.ids[i]];
      if (labels[query] >= 0 && label >= 0 && (label == labels[query]) == (GetParam() == GroupRule::same) &&
          want.size() < 4)
        want.emplace_back(all.neighbors.distances[i], all.neighbors.ids[i]);
    }
    for (std::int64_t i = query * 4; i < (query + 1) * 4 && got.neighbors.ids[i] != k_missing_id; ++i)
      row.emplace_back(got.neighbors.distances[i], got.neighbors.ids[i]);
    EXPECT_EQ(row, want) << query;
  }
}

/// Groups are parts of a lattice, which is wider than the box, so that groups alone would stay where the data do not.
/// Steps of a tenth are rounded: ties, and pairs at the radius, depend on where the points are.
void expect_groups_in_box(GroupRule rule, std::int64_t points_of_group, const std::vector<double>& box, Images kinds) {
  constexpr std::int64_t k = 12;
  const std::int64_t n = box.size() > 3 || kinds == Images::all ? 100 : 400;  // brute force looks at many images
  Points data{3, Array<double>()};
  for (std::int64_t i = 0; i < n; ++i)
    for (const std::int64_t step : {i % 20, i / 20 % 5, i / 100})
      std::get<1>(data.coordinates).push_back(0.05 + 0.1 * static_cast<double>(step));
  Labels labels;
  for (std::int64_t i = 0; i < n; ++i) labels.push_back(points_of_group > 0 ? i / points_of_group : i % 20 / 7);
  SearchOptions options = cpu_options(k);
  options.periodic = box;
  options.images = kinds;
  const SearchResult got = search_groups(data, std::nullopt, {labels, {}, rule}, options);
  options.radius = kinds == Images::all ? 0.6 : 0.19;
  const NeighborLists all_within = search_radius_self(data, options).lists;
  const NeighborLists within = search_radius_groups(data, std::nullopt, {labels, {}, rule}, options).lists;
  const auto is_allowed = [&](std::int64_t query, std::int64_t id) {
    return (labels[query] == labels[id]) == (rule == GroupRule::same);
  };
  const auto of_group = [&](std::int64_t query, const auto& lists, std::int64_t begin, std::int64_t end) {
    Row row;
    for (std::int64_t i = begin; i < end; ++i)
      if (is_allowed(query, lists.ids[i])) row.emplace_back(lists.distances[i], lists.ids[i]);
    return row;
  };
  const auto at = placed(data, data, box);
  for (std::int64_t query = 0; query < n; ++query) {
    std::vector<std::pair<double, std::int32_t>> all =
        all_images(query, at[query], at, data, box, n == 400 ? 0.6 : 1.2, Own::dropped);
    std::erase_if(all, [&](const auto& neighbor) { return !is_allowed(query, neighbor.second); });
    std::ranges::sort(all);
    if (kinds == Images::nearest) {  // the first of each
      std::vector<bool> seen(static_cast<std::size_t>(n));
      seen[static_cast<std::size_t>(query)] = true;
      std::erase_if(all, [&](const auto& neighbor) {
        const bool was_seen = seen[static_cast<std::size_t>(neighbor.second)];
        seen[static_cast<std::size_t>(neighbor.second)] = true;
        return was_seen;
      });
    }
    Row want;
    for (const auto& [sq_dist, id] : std::span(all).first(k))
      want.emplace_back(static_cast<float>(std::sqrt(static_cast<long double>(sq_dist))), id);
    std::ranges::sort(want);
    EXPECT_EQ(of_group(query, got.neighbors, query * k, (query + 1) * k), want) << query;
    EXPECT_EQ(of_group(query, within, within.begins[query], within.begins[query + 1]),
              of_group(query, all_within, all_within.begins[query], all_within.begins[query + 1]))
        << query;
  }
}

TEST_P(GroupsTest, AreSearchedInPeriodicBoxesAsAllDataAre) {
  for (const std::int64_t points_of_group : {0, 20})
    for (const Images images : {Images::nearest, Images::all})
      for (const std::vector<double>& box : {std::vector<double>{1, 0.5, 0.4}, {1, 0.5, 0.6, -0.3, 0.2, 0.2}})
        expect_groups_in_box(GetParam(), points_of_group, box, images);
}

/// Float64 rounds the distance by more than the box is wide: all images of the points above are equally far.
TEST(Groups, AreFoundFarAboveAPeriodicSlab) {
  constexpr double far = 1e13;
  const Points data{3, Array<double>{0.1, 0.2, 0, 0.7, 0.9, far, 0.5, 0.4, far, 0.1, 0.3, 0}};
  const Labels labels{0, 1, 1, 2};
  SearchOptions options = cpu_options(3);
  options.periodic = {1, 1, 0};
  const Neighbors got = search_groups(data, std::nullopt, {labels, {}, GroupRule::other}, options).neighbors;
  EXPECT_EQ(got.ids, (Array<std::int32_t>{3, 1, 2, 0, 3, -1, 0, 3, -1, 0, 1, 2}));
  for (const std::size_t i : {1, 2, 3, 4, 6, 7, 10, 11}) EXPECT_EQ(got.distances[i], static_cast<float>(far)) << i;
}

TEST(Groups, SkipInvalidPoints) {
  Points data = to_points(uniform(50, 3, 9), 3);
  std::get<Array<float>>(data.coordinates)[30] = std::numeric_limits<float>::quiet_NaN();
  const Labels labels(50, 1);
  SearchOptions options = cpu_options(60);
  try {
    search_groups(data, std::nullopt, {labels, {}, GroupRule::same}, options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "data: 1 of 50 points have NaN or infinite coordinates (first: 10); use --invalid skip");
  }
  options.invalid = InvalidPoints::skip;
  const SearchResult got = search_groups(data, std::nullopt, {labels, {}, GroupRule::same}, options);
  EXPECT_EQ(std::ranges::count(got.neighbors.ids, 10), 0);
  EXPECT_EQ(got.report.data_skipped, 1);
  EXPECT_EQ(got.report.warnings, (std::vector<std::string>{"49 of 49 queries have fewer than k=60 neighbours in their "
                                                           "group; missing ones are id -1, distance inf"}));
}

void expect_refused(const Points& data, const Groups& groups, const SearchOptions& options, ErrorKind kind,
                    const std::string& message) {
  try {
    search_groups(data, std::nullopt, groups, options);
    ADD_FAILURE() << message;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    EXPECT_EQ(e.what(), message);
  }
}

TEST(Groups, RefuseOtherSearches) {
  const Points data = to_points(uniform(10, 3, 9), 3);
  const Labels labels(10, 1), few(9, 1);
  SearchOptions options = cpu_options();
  expect_refused(data, {few, {}, GroupRule::same}, options, ErrorKind::bad_input,
                 "data: 9 groups are given for 10 points");
  options.method = Method::shifted_sort;
  expect_refused(data, {labels, {}, GroupRule::same}, options, ErrorKind::usage,
                 "--method shifted-sort does not go with --group, whose answer is exact");
}

}  // namespace
}  // namespace kann::test
