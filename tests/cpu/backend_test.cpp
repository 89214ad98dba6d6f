// The CPU backend against the definition of the answer, one query at a time.
#include "cpu/backend.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "brute_force.hpp"
#include "float64_clouds.hpp"
#include "part.hpp"
#include "problems.hpp"

namespace kann {
namespace {

void expect_definition(const test::Case& c, const SearchOptions& options) {
  const problem::Prepared prepared = c.prepare(options);
  const Neighbors got = cpu::solve(prepared.problem).neighbors, want = test::plain_shifted_sort(prepared.problem);
  EXPECT_EQ(got.queries, want.queries) << c.name;
  EXPECT_EQ(got.ids, want.ids) << c.name << " k=" << options.k;
  EXPECT_EQ(got.distances, want.distances) << c.name << " k=" << options.k;
}

SearchOptions options_of(std::int64_t k, int threads = 2) {
  SearchOptions options;
  options.k = k;
  options.threads = threads;
  options.method = Method::shifted_sort;
  return options;
}

TEST(CpuBackend, FollowsTheDefinitionOnEveryCloud) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 4, 8, 17})
      for (const auto& c : test::cases(257, 100, d, 11)) expect_definition(c, options_of(k));
}

TEST(CpuBackend, FollowsTheDefinitionAtAwkwardSizes) {
  constexpr std::int64_t k = 8;
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65})
    for (const std::int64_t m : {0, 1, 2, 33})
      for (const auto& c : test::cases(n, m, 3, 12)) expect_definition(c, options_of(k));
}

TEST(CpuBackend, FollowsTheDefinitionForAnyShiftsAndWindow) {
  test::Part part;
  for (const int d : {2, 3})
    for (const auto& c : test::cases(120, 30, d, 13))
      for (const int shifts : {1, 3, 7})
        for (const std::int64_t window : {1, 2, 9, 59, 60, 1000})
          for (const std::int64_t k : {1, 6, 9, 32}) {
            if (!part.takes_next()) continue;
            SearchOptions options = options_of(k);
            options.shifts = shifts;
            options.window = window;
            expect_definition(c, options);
          }
}

TEST(CpuBackend, FollowsTheDefinitionOnFloat64Clouds) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 8, 20})
      for (const auto& c : test::float64_cases(500, 60, d, 17)) expect_definition(c, options_of(k));
}

TEST(CpuBackend, FollowsTheDefinitionOnTinyFloat64Clouds) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 16, 17})
    for (const auto& c : test::float64_cases(n, 9, 3, 18)) expect_definition(c, options_of(8));
}

/// Queries as they come in practice: the next frame of a moving scanner, far ones, and some all over the box.
std::vector<test::Case> cases_beside_the_data(std::int64_t n, std::int64_t m, int d, std::uint64_t seed) {
  std::vector<test::Case> all;
  test::Random random(seed);
  for (const auto& kind : test::all_clouds()) {
    if (kind.name == "huge") continue;  // as are queries beside it, which would not be float32s
    const test::Coordinates data = kind.make(n, d, seed);
    float extent = 0;
    for (const float x : data) extent = std::max(extent, std::abs(x - data[0]));
    const auto add = [&](const std::string& name, const auto& coordinate) {
      all.push_back({kind.name + ", queries " + name, test::to_points(data, d),
                     test::to_points(test::make_cloud(m, d, coordinate), d)});
    };
    for (const double offset : {0.001, 0.03, 1.0, 100.0}) {
      const auto beside = [&](std::int64_t i, int a) {
        return data[i * d + a] + (a == d - 1 ? offset : 0.3 * offset) * extent;
      };
      add("beside by " + std::to_string(offset), beside);
    }
    add("in the box", [&](auto, int a) { return data[a] + (2 * random.uniform() - 1) * extent; });
  }
  return all;
}

TEST(CpuBackend, FollowsTheDefinitionForQueriesBesideTheData) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 2, 8, 16})
      for (const auto& c : cases_beside_the_data(2000, 40, d, 19)) expect_definition(c, options_of(k));
}

/// The squares of their distances are infinite in float32, but they are neighbours all the same.
TEST(CpuBackend, FollowsTheDefinitionForQueriesWhoseSquaresOverflow) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 8, 32})
      for (test::Case c : test::cases(300, 40, d, 63, test::tied_clouds())) {
        if (!c.queries) continue;
        auto& x = std::get<Array<float>>(c.queries->coordinates);
        for (std::size_t i = 0; i < x.size(); i += 5) x[i] = 1e30f;
        SearchOptions options = options_of(k);
        options.window = 2 * k + 3;
        expect_definition(c, options);
      }
}

/// Few of the points are candidates of a query.
TEST(CpuBackend, FollowsTheDefinitionForLongListsInLargeClouds) {
  for (const std::int64_t k : {17, 31, 32})
    for (const auto& c : test::cases(1500, 30, 3, 20))
      if (c.queries) expect_definition(c, options_of(k));
}

TEST(CpuBackend, SameAnswerOnAnyNumberOfThreads) {
  for (const auto& c : test::cases(5000, 3000, 3, 15)) {
    const problem::Answer want = cpu::solve(c.prepare(options_of(8, 1)).problem);
    for (const int threads : {2, 3, 16}) {
      const problem::Answer got = cpu::solve(c.prepare(options_of(8, threads)).problem);
      ASSERT_EQ(got.neighbors.ids, want.neighbors.ids) << c.name << " threads=" << threads;
      ASSERT_EQ(got.neighbors.distances, want.neighbors.distances) << c.name << " threads=" << threads;
    }
  }
}

TEST(CpuBackend, KeepsAPointItselfWhenAsked) {
  SearchOptions options = options_of(3);
  options.include_self = true;
  const Points cloud = test::to_points(test::uniform(100, 3, 1), 3);
  const problem::Prepared prepared = problem::prepare(cloud, {}, options);
  const Neighbors got = cpu::solve(prepared.problem).neighbors;
  for (std::int32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(got.ids[i * 3], i);
    EXPECT_EQ(got.distances[i * 3], 0.0f);
  }
}

}  // namespace
}  // namespace kann
