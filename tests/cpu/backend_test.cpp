// The CPU backend against the definition of the answer, one query at a time.
#include "cpu/backend.hpp"

#include <gtest/gtest.h>

#include "brute_force.hpp"
#include "problems.hpp"

namespace kann {
namespace {

void expect_definition(const test::Case& c, const SearchOptions& options) {
  const problem::Prepared prepared = c.prepare(options);
  const Neighbors got = cpu::solve(prepared.problem).neighbors;
  const Neighbors want = test::plain_shifted_sort(prepared.problem);
  ASSERT_EQ(got.queries, want.queries) << c.name;
  ASSERT_EQ(got.ids, want.ids) << c.name << " k=" << options.k;
  ASSERT_EQ(got.distances, want.distances) << c.name << " k=" << options.k;
}

SearchOptions options_of(std::int64_t k, int threads = 2) {
  SearchOptions options;
  options.k = k;
  options.threads = threads;
  return options;
}

TEST(CpuBackend, FollowsTheDefinitionOnEveryCloud) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 4, 8, 17})
      for (const auto& c : test::cases(257, 100, d, 11)) ASSERT_NO_FATAL_FAILURE(expect_definition(c, options_of(k)));
}

TEST(CpuBackend, FollowsTheDefinitionAtAwkwardSizes) {
  constexpr std::int64_t k = 8;
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65})
    for (const std::int64_t m : {0, 1, 2, 33})
      for (const auto& c : test::cases(n, m, 3, 12)) ASSERT_NO_FATAL_FAILURE(expect_definition(c, options_of(k)));
}

TEST(CpuBackend, FollowsTheDefinitionForAnyShiftsWindowAndBits) {
  for (const auto& c : test::cases(300, 60, 3, 13))
    for (const int shifts : {1, 3, 7})
      for (const std::int64_t window : {1, 2, 9, 1000})
        for (const int bits : {1, 20, 40, 63}) {
          SearchOptions options = options_of(6);
          options.shifts = shifts;
          options.window = window;
          options.bits = bits;
          ASSERT_NO_FATAL_FAILURE(expect_definition(c, options));
        }
}

TEST(CpuBackend, LargeKIsSortedNotInserted) {
  for (const std::int64_t k : {99, 100, 101, 150, 299, 300, 301})
    for (const auto& c : test::cases(300, 20, 3, 14)) ASSERT_NO_FATAL_FAILURE(expect_definition(c, options_of(k)));
}

TEST(CpuBackend, SameBytesOnAnyNumberOfThreads) {
  for (const auto& c : test::cases(5000, 3000, 3, 15)) {
    const problem::Prepared one = c.prepare(options_of(8, 1));
    const Neighbors want = cpu::solve(one.problem).neighbors;
    for (const int threads : {2, 3, 16}) {
      const problem::Prepared many = c.prepare(options_of(8, threads));
      const Neighbors got = cpu::solve(many.problem).neighbors;
      ASSERT_EQ(got.ids, want.ids) << c.name << " threads=" << threads;
      ASSERT_EQ(got.distances, want.distances) << c.name << " threads=" << threads;
    }
  }
}

TEST(CpuBackend, KeepsAPointItselfWhenAsked) {
  SearchOptions options = options_of(3);
  options.include_self = true;
  const Points cloud = test::to_points(test::uniform(100, 3, 1), 3);
  const problem::Prepared prepared = problem::prepare(cloud, nullptr, options);
  const Neighbors got = cpu::solve(prepared.problem).neighbors;
  for (std::int32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(got.ids[i * 3], i);
    EXPECT_EQ(got.distances[i * 3], 0.0f);
  }
}

}  // namespace
}  // namespace kann
