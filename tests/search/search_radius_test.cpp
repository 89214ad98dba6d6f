// kann::search_radius(): rows are those of brute force in float64, on every vector target.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/index.hpp"
#include "kann/radius.hpp"

#include "clouds.hpp"
#include "cpu/on_vector_target.hpp"
#include "cpu_search.hpp"
#include "float64_clouds.hpp"
#include "problems.hpp"

namespace kann::test {
namespace {

SearchOptions radius_options(double radius) {
  SearchOptions options = cpu_options();
  options.radius = radius;
  return options;
}

RadiusResult search_radius_case(const Case& c, const SearchOptions& options) {
  return c.queries ? search_radius(c.data, *c.queries, options) : search_radius_self(c.data, options);
}

double difference(const Points& data, std::int64_t id, const Points& queries, std::int64_t query, int axis) {
  const auto at = [axis](const Points& p, std::int64_t i) { return PointsView(p).at(i, axis); };
  return at(queries, query) - at(data, id);
}

/// d² as the definition in kann/search.hpp says.
double sq_distance_of(const Points& data, std::int64_t id, const Points& queries, std::int64_t query, double scale) {
  double sum = 0;
  for (int a = 0; a < data.dimensions; ++a) {
    const double x = difference(data, id, queries, query, a) * scale;
    sum = a == 0 ? x * x : std::fma(x, x, sum);
  }
  return sum;
}

/// The row of a query by its definition: (distance, id).
std::vector<std::pair<float, std::int32_t>> brute_row(const Case& c, std::int64_t query, double radius,
                                                      bool with_self) {
  const Points& queries = c.queries ? *c.queries : c.data;
  const double scale = radius < 0x1p-400 ? 0x1p600 : 1;
  std::vector<std::pair<float, std::int32_t>> row;
  for (std::int64_t id = 0; id < PointsView(c.data).size(); ++id) {
    if (!c.queries && !with_self && id == query) continue;
    if (!(sq_distance_of(c.data, id, queries, query, scale) <= radius * scale * (radius * scale))) continue;
    // A long double holds the root well enough to round it once, on these clouds
    const long double root = std::sqrt(static_cast<long double>(sq_distance_of(c.data, id, queries, query, 1)));
    row.emplace_back(static_cast<float>(root), static_cast<std::int32_t>(id));
  }
  std::sort(row.begin(), row.end());
  return row;
}

std::vector<std::pair<float, std::int32_t>> row_of(const NeighborLists& lists, std::int64_t query) {
  std::vector<std::pair<float, std::int32_t>> row;
  for (std::int64_t at = lists.begins[query]; at < lists.begins[query + 1]; ++at)
    row.emplace_back(lists.distances[at], lists.ids[at]);
  return row;
}

void expect_brute_rows(const Case& c, double radius, bool with_self = false) {
  SCOPED_TRACE(c.name + " R=" + std::to_string(radius));
  SearchOptions options = radius_options(radius);
  options.include_self = with_self;
  const RadiusResult got = search_radius_case(c, options);
  const std::int64_t m = PointsView(c.queries ? *c.queries : c.data).size();
  ASSERT_EQ(got.lists.queries(), m);
  ASSERT_EQ(got.lists.begins[0], 0);
  ASSERT_EQ(got.lists.ids.size(), static_cast<std::size_t>(got.lists.neighbors()));
  ASSERT_EQ(got.lists.distances.size(), got.lists.ids.size());
  for (std::int64_t query = 0; query < m; ++query) {
    ASSERT_EQ(row_of(got.lists, query), brute_row(c, query, radius, with_self)) << "query " << query;
  }
  EXPECT_EQ(got.report.within_radius, got.lists.neighbors());
  const RadiusResult counted =
      c.queries ? count_radius(c.data, *c.queries, options) : count_radius_self(c.data, options);
  EXPECT_EQ(counted.lists.begins, got.lists.begins);
  EXPECT_TRUE(counted.lists.ids.empty());
}

/// 0, some distances of the case, numbers beside these, and numbers beyond all of them.
std::set<double> radii_of(const Case& c) {
  std::set<double> radii{0, 1e-300, 1e300};
  const Points& queries = c.queries ? *c.queries : c.data;
  const std::int64_t n = PointsView(c.data).size(), m = PointsView(queries).size();
  for (std::int64_t i = 0; i < 6 && n > 0 && m > 0; ++i) {
    const double r = std::sqrt(sq_distance_of(c.data, (7 * i + 1) % n, queries, (11 * i) % m, 1));
    for (const double factor : {1.0, .3, 1 + 0x1p-52}) radii.insert(r * factor);
  }
  return radii;
}

class SearchRadius : public cpu::OnVectorTarget {};
INSTANTIATE_TEST_SUITE_P(All, SearchRadius, testing::ValuesIn(cpu::vector_targets()), cpu::vector_target_name);

TEST_P(SearchRadius, FindsTheRowsOfBruteForce) {
  for (const int d : {2, 3})
    for (const Case& c : cases(140, 30, d, 21))
      for (const double radius : radii_of(c)) expect_brute_rows(c, radius);
}

TEST_P(SearchRadius, FindsTheRowsOfBruteForceInFloat64) {
  for (const int d : {2, 3})
    for (const Case& c : float64_cases(110, 30, d, 22))
      for (const double radius : radii_of(c)) expect_brute_rows(c, radius);
}

TEST_P(SearchRadius, HoldsAtEverySize) {
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 127, 128, 129, 257})
    for (const std::int64_t m : {0, 1, 17})
      for (const Case& c : cases(n, m, 3, 23, tied_clouds()))
        for (const double radius : {0.0, .2, 10.0}) expect_brute_rows(c, radius);
}

TEST_P(SearchRadius, KeepsThePointItselfWhereItIsAskedFor) {
  for (const Case& c : cases(120, 10, 3, 24, tied_clouds())) expect_brute_rows(c, .2, true);
}

/// Rows of thousands of neighbours, and more buckets than a team of queries shares.
TEST_P(SearchRadius, FindsLongRows) {
  for (const int d : {2, 3})
    for (const Case& c : cases(6'000, 3, d, 25, {{"uniform", uniform}, {"crowded", crowded}}))
      if (c.queries) {
        expect_brute_rows(c, .4);
        expect_brute_rows(c, 5);
      }
}

TEST(SearchRadiusOf, DoesNotDependOnThreads) {
  const Points data = to_points(clusters(30'000, 3, 26), 3);
  SearchOptions options = radius_options(.01);
  options.threads = 1;
  const NeighborLists one = search_radius_self(data, options).lists;
  options.threads = 7;
  const NeighborLists seven = search_radius_self(data, options).lists;
  EXPECT_GT(one.neighbors(), 30'000);
  EXPECT_EQ(one.begins, seven.begins);
  EXPECT_EQ(one.ids, seven.ids);
  EXPECT_EQ(one.distances, seven.distances);
}

TEST(SearchRadiusOf, GivesTheBeginningsOfTheRowsOfASearch) {
  const Points data = to_points(surface(4'000, 3, 27), 3);
  const double radius = .1;
  const NeighborLists lists = search_radius_self(data, radius_options(radius)).lists;
  SearchOptions options = cpu_options(4'000);
  options.radius = radius;
  const Neighbors rows = search_self(data, options).neighbors;
  for (std::int64_t query = 0; query < rows.queries; ++query) {
    const std::int64_t count = lists.begins[query + 1] - lists.begins[query];
    ASSERT_TRUE(std::equal(lists.ids.begin() + lists.begins[query], lists.ids.begin() + lists.begins[query + 1],
                           rows.ids.begin() + query * rows.k));
    ASSERT_TRUE(std::equal(lists.distances.begin() + lists.begins[query],
                           lists.distances.begin() + lists.begins[query + 1], rows.distances.begin() + query * rows.k));
    ASSERT_EQ(rows.ids[query * rows.k + count], k_missing_id);
  }
}

TEST(SearchRadiusOf, AnIndexFindsTheSame) {
  const Points data = to_points(clusters(2'000, 2, 28), 2), queries = to_points(clusters(300, 2, 29), 2);
  const Index index(data);
  const SearchOptions options = radius_options(.02);
  EXPECT_EQ(index.search_radius(queries, options).lists.ids, search_radius(data, queries, options).lists.ids);
  EXPECT_EQ(index.search_radius_self(options).lists.ids, search_radius_self(data, options).lists.ids);
  EXPECT_EQ(index.count_radius(queries, options).lists.begins, search_radius(data, queries, options).lists.begins);
  EXPECT_EQ(index.count_radius_self(options).lists.begins, search_radius_self(data, options).lists.begins);
}

TEST(SearchRadiusOf, SkippedPointsHaveEmptyRowsAndAreInNone) {
  Coordinates data = uniform(60, 3, 30), queries = uniform(9, 3, 31);
  for (const std::int64_t i : {0, 7, 59}) data[static_cast<std::size_t>(3 * i + 1)] = k_nan;
  for (const std::int64_t i : {0, 4, 8}) queries[static_cast<std::size_t>(3 * i)] = k_infinity;
  SearchOptions options = radius_options(.5);
  const Points all = to_points(data, 3), of = to_points(queries, 3);
  EXPECT_THROW(search_radius(all, of, options), Error);
  options.invalid = InvalidPoints::skip;
  const RadiusResult got = search_radius(all, of, options);
  ASSERT_EQ(got.lists.queries(), 9);
  for (const std::int64_t i : {0, 4, 8}) EXPECT_EQ(got.lists.begins[i], got.lists.begins[i + 1]);
  const Case valid{"", all, of};
  for (const std::int64_t i : {1, 3, 5, 7}) {
    const auto want = brute_row(valid, i, .5, false);  // NaN is within no radius
    ASSERT_EQ(got.lists.begins[i + 1] - got.lists.begins[i], std::ssize(want));
    for (std::size_t r = 0; r < want.size(); ++r)
      EXPECT_EQ(got.lists.ids[static_cast<std::size_t>(got.lists.begins[i]) + r], want[r].second);
  }
  EXPECT_EQ(got.report.data_skipped, 3);
  EXPECT_EQ(got.report.query_skipped, 3);
}

/// Coordinates that are multiples of 1/8, in [0, 1).
Coordinates eighths(std::int64_t n, int d, std::uint64_t seed) {
  Coordinates cloud = uniform(n, d, seed);
  for (float& x : cloud) x = std::floor(8 * x) / 8;
  return cloud;
}

/// The row in a periodic box by its definition. Coordinates are within one box.
std::vector<std::pair<float, std::int32_t>> periodic_row(const Case& c, std::int64_t query, double radius,
                                                         const std::vector<double>& sides) {
  const Points& queries = c.queries ? *c.queries : c.data;
  std::vector<std::pair<float, std::int32_t>> row;
  for (std::int64_t id = 0; id < PointsView(c.data).size(); ++id) {
    if (!c.queries && id == query) continue;
    double sum = 0;
    for (int a = 0; a < c.data.dimensions; ++a) {
      const double q = PointsView(queries).at(query, a), p = PointsView(c.data).at(id, a);
      double nearest = q - p;
      for (const double image : {q - sides[a], q + sides[a]})
        if (std::abs(image - p) < std::abs(nearest)) nearest = image - p;
      sum = a == 0 ? nearest * nearest : std::fma(nearest, nearest, sum);
    }
    if (sum <= radius * radius)
      row.emplace_back(static_cast<float>(std::sqrt(static_cast<long double>(sum))), static_cast<std::int32_t>(id));
  }
  std::sort(row.begin(), row.end());
  return row;
}

TEST(SearchRadiusOf, InAPeriodicBoxAPointIsInARowOnceAtItsNearestImage) {
  for (const int d : {2, 3})
    for (const Case& c : cases(120, 40, d, 33, {{"uniform", uniform}, {"eighths", eighths}}))
      for (const std::vector<double>& all_sides : {std::vector<double>{1, 1, 1}, {1, 0, 1.25}, {2, 1, 0}})
        for (const double radius : {0.0, .05, .3, .49}) {
          const std::vector<double> sides(all_sides.begin(), all_sides.begin() + d);
          SCOPED_TRACE(c.name + " R=" + std::to_string(radius));
          SearchOptions options = radius_options(radius);
          options.periodic = sides;
          const RadiusResult got = search_radius_case(c, options);
          const std::int64_t m = PointsView(c.queries ? *c.queries : c.data).size();
          ASSERT_EQ(got.lists.queries(), m);
          for (std::int64_t query = 0; query < m; ++query) {
            ASSERT_EQ(row_of(got.lists, query), periodic_row(c, query, radius, sides)) << "query " << query;
          }
          const RadiusResult counted =
              c.queries ? count_radius(c.data, *c.queries, options) : count_radius_self(c.data, options);
          ASSERT_EQ(counted.lists.begins, got.lists.begins);
          ASSERT_EQ(Index(c.data).count_radius(c.queries ? *c.queries : c.data, options).lists.queries(), m);
        }
}

TEST(SearchRadiusOf, RefusesWhatItDoesNotTake) {
  const Points data = to_points(uniform(10, 3, 32), 3);
  EXPECT_THROW(search_radius_self(data, cpu_options()), Error);  // no radius
  for (const double radius : {-1.0, std::nan(""), static_cast<double>(k_infinity)})
    EXPECT_THROW(search_radius_self(data, radius_options(radius)), Error) << radius;
  SearchOptions options = radius_options(1);
  options.method = Method::shifted_sort;
  EXPECT_THROW(search_radius_self(data, options), Error);
  options = radius_options(1);
  options.window = 8;
  EXPECT_THROW(search_radius_self(data, options), Error);
}

}  // namespace
}  // namespace kann::test
