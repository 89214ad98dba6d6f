// kann::search on the CPU: the method that it chooses, doubtful queries, and the recall of the sample.
#include <algorithm>
#include <gtest/gtest.h>

#include "kann/accuracy.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "search/cpu_search.hpp"

namespace kann {
namespace {

using test::cpu_options, test::in_double;

TEST(Search, ChoosesShiftsAndWindowByDimension) {
  const auto r3 = search_self(test::to_points(test::uniform(30, 3, 1), 3), cpu_options(5)).report;
  EXPECT_EQ(r3.method, Method::shifted_sort);
  EXPECT_EQ(r3.shifts, 3);
  EXPECT_EQ(r3.window, 14);
  EXPECT_EQ(r3.bits, 63);
  const auto r2 = search_self(test::to_points(test::uniform(30, 2, 1), 2), cpu_options(9)).report;
  EXPECT_EQ(r2.method, Method::shifted_sort);
  EXPECT_EQ(r2.shifts, 3);
  EXPECT_EQ(r2.window, 17);
  EXPECT_EQ(r2.bits, 62);
}

TEST(Search, ReportsTheMethodThatItChose) {
  const auto report = search_self(test::to_points(test::uniform(30, 2, 1), 2), cpu_options(4)).report;
  EXPECT_EQ(report.method, Method::exact);
  EXPECT_EQ(report.shifts, 0);
  EXPECT_EQ(report.sample.queries, 0);
  EXPECT_FALSE(report.sample.recall);
  EXPECT_EQ(report.doubtful, 0);
}

/// The neighbours that the approximate search and the exact one have in common, row by row.
double common_ids(const Neighbors& found, const Neighbors& exact, std::int64_t rows) {
  std::int64_t common = 0;
  for (std::int64_t i = 0; i < rows * found.k; ++i) {
    const auto row = exact.ids.begin() + i / found.k * found.k;
    common += std::count(row, row + found.k, found.ids[i]);
  }
  return static_cast<double>(common) / static_cast<double>(rows * found.k);
}

TEST(Search, ReportsTheRecallOfASampleOfAllQueries) {
  const Points cloud = test::to_points(test::uniform(1000, 3, 11), 3);
  SearchOptions options = cpu_options(8), exact = cpu_options(8);
  exact.method = Method::exact;
  const Neighbors want = search_self(cloud, exact).neighbors;
  for (const std::int64_t window : {4, 8, 500}) {
    options.window = window;
    const SearchResult got = search_self(cloud, options);
    EXPECT_EQ(got.report.sample.queries, 1000);
    EXPECT_EQ(got.report.doubtful, 0);
    ASSERT_TRUE(got.report.sample.recall);
    EXPECT_DOUBLE_EQ(*got.report.sample.recall, common_ids(got.neighbors, want, 1000)) << window;
    EXPECT_EQ(*got.report.sample.recall == 1, window == 500);
  }
}

TEST(Search, TheSampleTellsTheRecallOfALargeCloud) {
  const Points cloud = test::to_points(test::clusters(50000, 3, 12), 3);
  SearchOptions options = cpu_options(8);
  options.shifts = 1;
  const SearchResult got = search_self(cloud, options);
  EXPECT_EQ(got.report.sample.queries, 1024);
  const Accuracy accuracy = measure_accuracy(cloud, cloud, got.neighbors, {.self_query = true});
  EXPECT_NEAR(*got.report.sample.recall, accuracy.recall, 0.02);
  EXPECT_LT(accuracy.recall, 0.97);
}

TEST(Search, HasNoRecallWhereThereIsNothingToFind) {
  const Points none = test::to_points({}, 3), one = test::to_points({1, 2, 3}, 3);
  for (const auto& [data, queries] : {std::pair{none, one}, {one, none}}) {
    const auto report = search(data, queries, cpu_options()).report;
    EXPECT_EQ(report.sample.queries, queries.size());
    EXPECT_FALSE(report.sample.recall);
  }
  EXPECT_FALSE(search_self(one, cpu_options()).report.sample.recall);  // no neighbour but itself
  EXPECT_EQ(search(one, one, cpu_options()).report.sample.recall, 1.0);
}

TEST(Search, DoubtfulQueriesAreSearchedExactly) {
  auto above = test::plane(500, 3, 2);
  for (std::size_t i = 2; i < above.size(); i += 3) above[i] += 0.2f;
  const Points plane = test::to_points(test::plane(5000, 3, 1), 3), queries = test::to_points(above, 3);
  for (const std::int64_t k : {1, 4, 8, 20}) {
    SearchOptions sorted = cpu_options(k), exact = cpu_options(k);
    sorted.method = Method::shifted_sort;
    exact.method = Method::exact;
    const SearchResult got = search(plane, queries, sorted);
    EXPECT_GT(got.report.doubtful, 495) << k;
    EXPECT_GT(*got.report.sample.recall, 0.999) << k;
    EXPECT_GT(common_ids(got.neighbors, search(plane, queries, exact).neighbors, 500), 0.999) << k;
    const std::int64_t own = search_self(plane, sorted).report.doubtful;
    EXPECT_GT(own, 0) << k;
    EXPECT_LT(own, 1000) << k;
  }
}

/// Two sites so far apart that float32 rounds by more than the distance between neighbours.
TEST(Search, QueriesThatFloat32CannotDecideAreSearchedExactly) {
  Points sites = in_double(test::to_points(test::uniform(20000, 3, 1), 3), 50, 5e6);
  auto& c = std::get<Array<double>>(sites.coordinates);
  for (std::size_t i = 0; i < c.size() / 2; ++i) c[i] += 1e9;
  SearchOptions exact = cpu_options(8);
  exact.method = Method::exact;
  const SearchResult got = search_self(sites, cpu_options(8)), want = search_self(sites, exact);
  EXPECT_EQ(got.report.doubtful, 20000);
  EXPECT_EQ(got.neighbors.ids, want.neighbors.ids);
  EXPECT_EQ(got.neighbors.distances, want.neighbors.distances);
}

}  // namespace
}  // namespace kann
