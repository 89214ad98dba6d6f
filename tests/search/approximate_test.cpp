// kann::search with the shifted sort on the CPU: its parameters, the recall of its sample, and its distances, which
// come from float32s in the frame of the data.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/index.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "cpu/backend.hpp"
#include "float64_clouds.hpp"
#include "part.hpp"
#include "problem/sample.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "search/cpu_search.hpp"
#include "search/sample_recall.hpp"

namespace kann::test {
namespace {

TEST(Search, ReportsTheMethodAndItsParameters) {
  const Points cloud = to_points(uniform(30, 2, 1), 2);
  for (const std::int64_t k : {1, 8, 16, 40}) {
    const SearchReport exact = search_self(cloud, cpu_options(k)).report;
    EXPECT_EQ(exact.method, Method::exact);
    EXPECT_EQ(exact.shifts, 0);
    EXPECT_EQ(exact.window, 0);
    EXPECT_EQ(exact.sample.queries, 0);
    EXPECT_FALSE(exact.sample.recall);
    EXPECT_EQ(exact.steps.sample, 0);
  }
  SearchOptions options = cpu_options(8, Method::shifted_sort);
  options.shifts = 5;
  options.window = 7;
  const SearchReport report = search_self(cloud, options).report;
  EXPECT_EQ(report.method, Method::shifted_sort);
  EXPECT_EQ(report.shifts, 5);
  EXPECT_EQ(report.window, 7);
  EXPECT_EQ(report.sample.queries, 30);
  EXPECT_GT(report.steps.sample, 0);
}

/// The sample of the rows by its definition: the valid queries with the numbers of problem::sample_numbers(), and of
/// each the squared distances to all points.
Sample plain_sample(const Case& c, const SearchOptions& options, const Neighbors& rows) {
  const Points& queries = c.queries ? *c.queries : c.data;
  std::vector<std::int64_t> valid;
  for (std::int64_t q = 0; q < queries.size(); ++q)
    if (is_finite(queries, q)) valid.push_back(q);
  const std::vector<std::int64_t> numbers = problem::sample_numbers(std::ssize(valid), 1024);
  std::int64_t expected = 0, found = 0;
  for (const std::int64_t number : numbers) {
    const std::int64_t query = valid[static_cast<std::size_t>(number)];
    std::vector<double> all;
    for (std::int64_t i = 0; i < c.data.size(); ++i) {
      const double sq_dist = sq_distance(c.data, i, queries, query);
      const bool is_own = !c.queries && !options.include_self && i == query;
      const bool is_near = !options.radius || sq_dist <= *options.radius * *options.radius;
      if (is_finite(c.data, i) && !is_own && is_near) all.push_back(sq_dist);
    }
    const auto nearest = all.begin() + std::min(std::ssize(all), options.k);
    std::partial_sort(all.begin(), nearest, all.end());
    all.erase(nearest, all.end());
    expected += std::ssize(all);
    for (std::int64_t r = query * rows.k; r < query * rows.k + std::ssize(all); ++r)
      found += rows.ids[r] != k_missing_id && sq_distance(c.data, rows.ids[r], queries, query) <= all.back();
  }
  Sample sample{std::ssize(numbers), {}};
  if (expected > 0) sample.recall = static_cast<double>(found) / static_cast<double>(expected);
  return sample;
}

/// Returns the recall.
double expect_plain_sample(const Case& c, const SearchOptions& options) {
  SCOPED_TRACE(c.name + " k=" + std::to_string(options.k) + (options.include_self ? " with itself" : ""));
  const SearchResult got = search_case(c, options);
  const Sample want = plain_sample(c, options, got.neighbors);
  EXPECT_EQ(got.report.sample.queries, want.queries);
  EXPECT_EQ(got.report.sample.recall, want.recall);
  return want.recall.value_or(1);
}

SearchOptions narrow(std::int64_t k, std::int64_t window) {
  SearchOptions options = cpu_options(k, Method::shifted_sort);
  options.window = window;
  options.threads = 2;
  return options;
}

/// With more queries than the sample has, and fewer; windows that miss much, and that hold all points.
TEST(SampleOfRecall, IsThatOfBruteForceOnEveryCloud) {
  Part part;
  std::set<bool> are_all_found;
  for (const int d : {2, 3})
    for (const Case& c : cases(1100, 1050, d, 41))
      for (const std::int64_t k : {1, 32})
        for (const std::int64_t window : {2, 550}) {
          if (!part.takes_next()) continue;
          SearchOptions options = narrow(k, window);
          are_all_found.insert(expect_plain_sample(c, options) == 1);
          options.include_self = true;
          if (!c.queries) expect_plain_sample(c, options);
        }
  EXPECT_EQ(are_all_found.size(), 2u);
}

TEST(SampleOfRecall, IsThatOfBruteForceAtAwkwardSizes) {
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 33})
    for (const std::int64_t m : {0, 1, 5, 1025})
      for (const Case& c : cases(n, m, 3, 42, tied_clouds())) expect_plain_sample(c, narrow(8, 1));
}

/// Some thousand points are at one place, or at one of five: more than k others are as near as a query is to itself.
TEST(SampleOfRecall, IsThatOfBruteForceOnManyCopies) {
  Random random(43);
  const Coordinates places = uniform(5, 3, 44);
  std::uint64_t place = 0;
  const Coordinates copies = make_cloud(4000, 3, [&](auto, int a) {
    if (a == 0) place = random.below(5);
    return places[3 * place + a];
  });
  for (const Coordinates& c : {copies, identical(4000, 3, 1)})
    for (const bool include_self : {false, true}) {
      const Case of_copies{"copies", to_points(c, 3), std::nullopt};
      SearchOptions options = narrow(8, 9);  // nine copies before the place behind all, of which one may be the query
      options.include_self = include_self;
      EXPECT_EQ(expect_plain_sample(of_copies, options), 1);
      options.window = 3;
      EXPECT_LT(expect_plain_sample(of_copies, options), 1);
    }
}

TEST(SampleOfRecall, IsThatOfBruteForceWithinARadius) {
  for (const Case& c : cases(1100, 300, 3, 45, {{"uniform", uniform}, {"clusters", clusters}, {"lattice", lattice}}))
    for (const double radius : {0.0, 0.001, 0.05, 1.0, 100.0}) {
      SearchOptions options = narrow(6, 3);
      options.radius = radius;
      expect_plain_sample(c, options);
    }
}

/// Coordinates that float32 rounds, of the data, the queries or both; and points that are skipped.
TEST(SampleOfRecall, IsThatOfBruteForceOfTheCoordinatesAsGiven) {
  Part part;
  for (const int d : {2, 3})
    for (Case& c : float64_cases(1100, 300, d, 46)) {
      if (!part.takes_next()) continue;
      expect_plain_sample(c, narrow(8, 3));
      for (Points* const points : {&c.data, c.queries ? &*c.queries : nullptr})
        for (std::int64_t i = 0; points && i < points->size(); i += 7)
          std::visit([&](auto& x) { x[static_cast<std::size_t>(i * d)] = NAN; }, points->coordinates);
      SearchOptions options = narrow(8, 3);
      options.invalid = InvalidPoints::skip;
      expect_plain_sample(c, options);
    }
  const Points floats = to_points(uniform(900, 3, 47), 3);
  expect_plain_sample({"float64 queries", floats, in_double(floats, 1, 1e-9)}, narrow(8, 3));
  expect_plain_sample({"float64 data", in_double(floats, 1, 1e-9), floats}, narrow(8, 3));
}

TEST(SampleOfRecall, IsTheSameOfAnIndex) {
  for (const Case& c : cases(2000, 1500, 3, 48, {{"uniform", uniform}, {"far_away", far_away}})) {
    const Index index(c.data);
    for (const std::int64_t window : {3, 9}) {
      const SearchOptions options = narrow(8, window);
      const SearchResult got = c.queries ? index.search(*c.queries, options) : index.search_self(options);
      const Sample want = plain_sample(c, options, got.neighbors);
      EXPECT_EQ(got.report.sample.queries, 1024);
      EXPECT_EQ(got.report.sample.recall, want.recall) << c.name;
      EXPECT_LT(want.recall, 1) << c.name;
    }
  }
}

/// Some of the data, of which none is its own neighbour, are the queries.
TEST(SampleOfRecall, KnowsTheDataThatAreQueries) {
  const Points cloud = to_points(uniform(900, 3, 49), 3);
  const SearchOptions options = narrow(8, 2);
  const auto data = std::make_shared<const problem::PreparedData>(cloud, "data", InvalidPoints::error, 2);
  const problem::Prepared part = problem::prepare_own_rows(data, 300, 500, options);
  const detail::RecallSample sample(part.problem, cpu::solve);
  const Neighbors all = search_self(cloud, options).neighbors, rows = cpu::solve(part.problem).neighbors;
  ASSERT_TRUE(std::equal(rows.ids.begin(), rows.ids.end(), all.ids.begin() + 300 * 8));
  std::int64_t found = 0;
  const Neighbors exact = exact_answer(cloud, cloud, 8, true);
  for (std::size_t i = 0; i < rows.ids.size(); ++i) {
    const auto row = exact.ids.begin() + static_cast<std::ptrdiff_t>(300 * 8 + i / 8 * 8);
    found += std::count(row, row + 8, rows.ids[i]);
  }
  EXPECT_EQ(sample.recall(part.problem, rows, {}).queries, 500);
  EXPECT_EQ(sample.recall(part.problem, rows, {}).recall, static_cast<double>(found) / 4000);
  EXPECT_LT(found, 3999);
}

TEST(SampleOfRecall, TellsTheRecallOfALargeCloud) {
  const Points cloud = to_points(clusters(50000, 3, 12), 3);
  SearchOptions options = cpu_options(8, Method::shifted_sort);
  options.shifts = 1;
  const SearchResult got = search_self(cloud, options);
  EXPECT_EQ(got.report.sample.queries, 1024);
  const Accuracy accuracy = measure_accuracy(cloud, cloud, got.neighbors, {.self_query = true});
  EXPECT_NEAR(*got.report.sample.recall, accuracy.recall, 0.02);
  EXPECT_LT(accuracy.recall, 0.97);
}

TEST(SampleOfRecall, IsNoneWhereThereIsNothingToFind) {
  const Points none = to_points(Coordinates{}, 3), one = to_points(Coordinates{1, 2, 3}, 3);
  const SearchOptions options = cpu_options(5, Method::shifted_sort);
  EXPECT_FALSE(search(none, one, options).report.sample.recall);
  EXPECT_FALSE(search(one, none, options).report.sample.recall);
  EXPECT_FALSE(search_self(one, options).report.sample.recall);  // no neighbour but itself
  EXPECT_EQ(search(one, one, options).report.sample.recall, 1.0);
}

TEST(DefaultWindows, HaveARecallOfNinetySevenPercent) {
  for (const auto& kind : {CloudKind{"uniform", uniform}, {"clusters", clusters}, {"surface", surface}})
    for (const int d : {2, 3})
      for (const std::int64_t k : {1, 8, 32}) {
        const Points cloud = to_points(kind.make(20000, d, 50), d);
        const Sample sample = search_self(cloud, cpu_options(k, Method::shifted_sort)).report.sample;
        EXPECT_GE(sample.recall, 0.97) << kind.name << " " << d << "-D, k = " << k;
      }
}

/// Two points are rounded to float32 in the frame, and the distance between them once more.
TEST(ApproximateDistances, AreThoseOfCoordinatesThatFloat32Rounds) {
  for (const int d : {2, 3})
    for (const Case& c : float64_cases(3000, 3000, d, 5)) {
      if (c.name.starts_with("large_squares") || c.name.starts_with("denormals") || c.name.starts_with("decades") ||
          c.name.starts_with("squares_lost"))
        continue;  // float32 does not hold these distances
      const SearchOptions options = cpu_options(5, Method::shifted_sort);
      const Points& queries = c.queries ? *c.queries : c.data;
      const problem::Prepared prepared = c.prepare(options);
      const problem::Problem& p = prepared.problem;
      const Neighbors found = search_case(c, options).neighbors;
      for (std::int64_t i = 0; i < found.queries * found.k; ++i) {
        const std::int64_t query = i / found.k, point = found.ids[i];
        if (point == k_missing_id) continue;
        double moved = 0;  // in the frame, the first by 2⁻²⁴ of its coordinate and the other likewise
        for (int a = 0; a < d; ++a) moved += std::abs(p.queries[query * d + a]) + std::abs(p.data[point * d + a]);
        const double expected = std::sqrt(sq_distance(c.data, point, queries, query));
        ASSERT_NEAR(found.distances[i], expected, 1e-6 * expected + 0x1p-24 * moved * p.unit) << c.name;
      }
    }
}

}  // namespace
}  // namespace kann::test
