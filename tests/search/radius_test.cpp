// SearchOptions::radius: rows are those of the search without one, cut; lists have all within it. fuzz/search compares
// both with brute force.
#include "kann/radius.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/error.hpp"

#include "cpu_search.hpp"
#include "float64_clouds.hpp"
#include "problems.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

/// The rows without the neighbours farther than R by d² > R · R. Not for distances whose squares underflow.
Neighbors cut(const Neighbors& rows, const Points& data, const Points& queries, double radius) {
  Neighbors out{rows.queries, rows.k, {}, {}};
  for (std::int64_t q = 0; q < rows.queries; ++q) {
    for (std::int64_t r = 0; r < rows.k; ++r) {
      const std::int32_t id = rows.ids[q * rows.k + r];
      if (id == k_missing_id || sq_distance(data, id, queries, q) > radius * radius) continue;
      out.ids.push_back(id);
      out.distances.push_back(rows.distances[q * rows.k + r]);
    }
    out.ids.resize(static_cast<std::size_t>((q + 1) * rows.k), k_missing_id);
    out.distances.resize(static_cast<std::size_t>((q + 1) * rows.k), k_infinity);
  }
  return out;
}

std::int64_t present(const Neighbors& rows) {
  return static_cast<std::int64_t>(rows.ids.size()) - std::count(rows.ids.begin(), rows.ids.end(), k_missing_id);
}

std::int64_t full_rows(const Neighbors& rows) {
  std::int64_t full = 0;
  for (std::int64_t query = 0; query < rows.queries; ++query)
    full += rows.ids[(query + 1) * rows.k - 1] != k_missing_id;
  return full;
}

/// 0, distances that rows have, and numbers between and beyond them.
std::set<double> radii_of(const Neighbors& rows) {
  std::set<double> radii{0, 1e-300, 1e300};
  for (std::size_t i = 0; i < rows.ids.size(); i += rows.ids.size() / 5 + 1)
    if (std::isfinite(rows.distances[i]))
      for (const double factor : {1.0, 0.9, 1.1}) radii.insert(rows.distances[i] * factor);
  return radii;
}

void expect_rows_within(const Case& c, Method method, std::int64_t k) {
  SearchOptions options = cpu_options(k, method);
  const Neighbors all = search_case(c, options).neighbors;
  const Points& queries = c.queries ? *c.queries : c.data;
  for (const double radius : radii_of(all)) {
    SCOPED_TRACE(c.name + " R=" + std::to_string(radius) + " k=" + std::to_string(k));
    options.radius = radius;
    const SearchResult got = search_case(c, options);
    const Neighbors want = cut(all, c.data, queries, radius);
    EXPECT_EQ(got.neighbors.ids, want.ids);
    EXPECT_EQ(got.neighbors.distances, want.distances);
    EXPECT_EQ(got.report.within_radius, present(want));
    EXPECT_EQ(got.report.full_rows, full_rows(want));
  }
}

TEST(Radius, RowsAreThoseWithoutItCut) {
  for (const Method method : {Method::exact, Method::shifted_sort})
    for (const int d : {2, 3}) {
      for (const std::int64_t n : {0, 1, 5, 8, 129})
        for (const Case& c : cases(n, 9, d, 5, tied_clouds())) expect_rows_within(c, method, 5);
      for (const Case& c : cases(500, 60, d, 8)) expect_rows_within(c, method, 8);
      for (const Case& c : float64_cases(200, 40, d, 8))
        if (c.name.starts_with("two_sites") || c.name.starts_with("map_tile")) expect_rows_within(c, method, 8);
    }
}

/// The ids of the one row of a query at the origin.
std::vector<std::int32_t> within(const Array<double>& xs, double radius, Method method = Method::exact) {
  Points data{2, Array<double>()};
  for (const double x : xs) {
    std::get<1>(data.coordinates).push_back(x);
    std::get<1>(data.coordinates).push_back(0);
  }
  SearchOptions options = cpu_options(static_cast<std::int64_t>(xs.size()), method);
  options.radius = radius;
  const Neighbors rows = search(data, Points{2, Array<double>{0, 0}}, options).neighbors;
  std::vector<std::int32_t> ids(rows.ids.begin(), rows.ids.end());
  std::erase(ids, k_missing_id);
  return ids;
}

using Ids = std::vector<std::int32_t>;

TEST(Radius, APointAtTheRadiusIsWithin) {
  for (const Method method : {Method::exact, Method::shifted_sort})
    for (const double r : {1.0, 0.1, 1e-30, 1e30, 123.456, 1e-160, 0x1p-1074, 0x1p-400, 0x1p-401, 1e150}) {
      EXPECT_EQ(within({r}, r, method), Ids{0}) << r;
      EXPECT_EQ(within({-r}, r, method), Ids{0}) << r;
      EXPECT_EQ(within({r}, std::nextafter(r, 0), method), Ids{}) << r;
    }
}

TEST(Radius, ZeroLeavesCoincidentPoints) {
  EXPECT_EQ(within({1, 0, -0.0, 0x1p-1074, 1e-200}, 0), (Ids{1, 2}));
  EXPECT_EQ(within({1, 2}, 0), Ids{});
}

TEST(Radius, SquaresThatVanishAreCompared) {
  EXPECT_EQ(within({1e-200, 2e-200, 0, 1e-170}, 1.5e-200).size(), 2u);
  EXPECT_EQ(within({1e-200, 1e-300, 1e100}, 1e-250), Ids{1});
  EXPECT_EQ(within({3 * 0x1p-1074, 0x1p-1074, 2 * 0x1p-1074}, 2 * 0x1p-1074), (Ids{1, 2}));
}

TEST(Radius, SquaresThatOverflowAreCompared) {
  EXPECT_EQ(within({0, 1e150, -1e152}, 1e300), (Ids{0, 1, 2}));
  EXPECT_EQ(within({0, 1e150, -1e152}, std::numeric_limits<double>::max()), (Ids{0, 1, 2}));
  EXPECT_EQ(within({0, 1e150, -1e152}, 1e151), (Ids{0, 1}));
  EXPECT_EQ(within({0, 1e39, 1e40}, 1e39), (Ids{0, 1}));  // whose distances are written as inf
}

/// Two points may have the same written distance although only one is within the radius, and that one may come second.
TEST(Radius, EqualWrittenDistancesAreToldApart) {
  const double beyond = 1 + 0x1p-40;
  EXPECT_EQ(within({beyond, 1, beyond, 1}, 1), (Ids{1, 3}));
}

TEST(Radius, SkippedPointsStaySkipped) {
  const double nan = std::nan("");
  const Points data{2, Array<double>{nan, 0, 1, 0, 2, 0, 3, 0}}, queries{2, Array<double>{0, nan, 0, 0}};
  SearchOptions options = cpu_options(3);
  options.invalid = InvalidPoints::skip;
  options.radius = 2;
  const SearchResult got = search(data, queries, options);
  EXPECT_EQ(got.neighbors.ids, (Array<std::int32_t>{-1, -1, -1, 1, 2, -1}));
  EXPECT_EQ(got.neighbors.distances, (Array<float>{k_infinity, k_infinity, k_infinity, 1, 2, k_infinity}));
  EXPECT_EQ(got.report.within_radius, 2);
  const RadiusResult listed = search_radius(data, queries, options);
  EXPECT_EQ(listed.lists.begins, (Array<std::int64_t>{0, 0, 2}));
  EXPECT_EQ(listed.lists.ids, (Array<std::int32_t>{1, 2}));
  EXPECT_EQ(listed.report.within_radius, 2);
  EXPECT_EQ(listed.report.data_skipped, 1);
  EXPECT_EQ(listed.report.query_skipped, 1);
  EXPECT_TRUE(count_radius(data, queries, options).lists.ids.empty());
  options.invalid = InvalidPoints::error;
  EXPECT_THROW(search_radius(data, queries, options), Error);
}

TEST(Radius, TheSampleExpectsThePointsWithinIt) {
  const Points cloud = to_points(uniform(1000, 3, 4), 3);
  SearchOptions options = cpu_options(8, Method::shifted_sort);
  options.window = 3;
  options.shifts = 1;
  for (const double radius : {0.05, 0.1, 10.0}) {
    options.radius = radius;
    const SearchResult got = search_self(cloud, options);
    const Accuracy all = measure_accuracy(cloud, cloud, got.neighbors, {.self_query = true, .radius = radius});
    EXPECT_LT(all.recall, 1);
    EXPECT_EQ(got.report.sample.queries, 1000);  // all of them
    EXPECT_EQ(got.report.sample.recall, all.recall) << radius;
  }
  options.radius = 0;
  EXPECT_FALSE(search_self(cloud, options).report.sample.recall);  // no two points coincide
}

TEST(Radius, WarningsAreThoseWithoutIt) {
  const Points cloud = to_points(uniform(100, 3, 7), 3);
  SearchOptions options = cpu_options(8);
  options.radius = 1e-9;
  EXPECT_EQ(search_self(cloud, options).report.warnings, std::vector<std::string>());
  options.method = Method::shifted_sort;
  options.window = 8;  // offers enough; the radius is why rows are short
  EXPECT_EQ(search_self(cloud, options).report.warnings, std::vector<std::string>());
  options.k = 20;
  options.window = 1;
  EXPECT_TRUE(search_self(cloud, options).report.warnings.at(0).starts_with("--window 1 is too narrow for k=20: 100 "));
  options = cpu_options(200);
  options.radius = 1e-9;
  EXPECT_TRUE(search_self(cloud, options).report.warnings.at(0).starts_with("k=200 but data has 100 points"));
}

TEST(Radius, MustBeFiniteAndNotNegative) {
  const auto message = [](double radius) {
    SearchOptions options;
    options.radius = radius;
    return refusal_of(ErrorKind::usage, [&] { check_options(options); });
  };
  EXPECT_EQ(message(0), "");
  EXPECT_EQ(message(1e300), "");
  EXPECT_EQ(message(-1.5), "--radius expects a finite number of at least 0, got '-1.5'");
  EXPECT_EQ(message(std::nan("")), "--radius expects a finite number of at least 0, got 'nan'");
  EXPECT_EQ(message(std::numeric_limits<double>::infinity()),
            "--radius expects a finite number of at least 0, got 'inf'");
}

/// Many more points than a chunk has, and rows of thousands.
TEST(RadiusLists, DoNotDependOnThreads) {
  const Points data = to_points(clusters(30'000, 3, 26), 3);
  SearchOptions options = cpu_options();
  for (const double radius : {.01, .03}) {
    options.radius = radius;
    options.threads = 1;
    const NeighborLists one = search_radius_self(data, options).lists;
    options.threads = 7;
    const NeighborLists seven = search_radius_self(data, options).lists;
    EXPECT_GT(one.neighbors(), 30'000);
    EXPECT_EQ(one.begins, seven.begins);
    EXPECT_EQ(one.ids, seven.ids);
    EXPECT_EQ(one.distances, seven.distances);
  }
}

TEST(RadiusLists, RefuseOtherSearches) {
  const Points data = to_points(uniform(10, 3, 32), 3);
  EXPECT_THROW(search_radius_self(data, cpu_options()), Error);  // no radius
  const auto expect_refused = [&](double radius, auto change) {
    SearchOptions options = cpu_options();
    options.radius = radius;
    change(options);
    EXPECT_THROW(search_radius_self(data, options), Error) << radius;
  };
  for (const double radius : {-1.0, std::nan(""), static_cast<double>(k_infinity)})
    expect_refused(radius, [](auto&) {});
  expect_refused(1, [](auto& o) { o.method = Method::shifted_sort; });
  expect_refused(1, [](auto& o) { o.window = 8; });
}

}  // namespace
}  // namespace kann::test
