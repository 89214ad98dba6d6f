// Which rows of the shifted sort are doubtful, the exact rows that they become, and the sample: against the definition.
#include <gtest/gtest.h>

#include "cuda/gpu.hpp"
#include "cuda/same_bytes.hpp"
#include "float64_clouds.hpp"

namespace kann {
namespace {

using test::expect_definition, test::fused, test::paper;

class CudaDoubt : public test::GpuTest {};

/// The cases, and each with its queries moved off the data: by a little, and by more than the data are wide.
std::vector<test::Case> with_moved_queries(std::vector<test::Case> cases) {
  const std::size_t count = cases.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!cases[i].queries) continue;
    for (const double distance : {0.05, 3.0}) {
      test::Case moved = cases[i];
      moved.name += " moved by " + std::to_string(distance);
      std::visit(
          [&](auto& coordinates) {
            for (auto& x : coordinates) x = static_cast<std::decay_t<decltype(x)>>(x + distance);
          },
          moved.queries->coordinates);
      cases.push_back(std::move(moved));
    }
  }
  return cases;
}

TEST_F(CudaDoubt, RowsAreThoseOfTheDefinition) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 3, 8, 9, 16, 20, 32})
      for (const auto& c : with_moved_queries(test::cases(1025, 200, d, 31)))
        ASSERT_NO_FATAL_FAILURE(expect_definition(c, fused(k)));
}

TEST_F(CudaDoubt, RowsAreThoseOfTheDefinitionForFloat64) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 8, 20, 32})
      for (const auto& c : with_moved_queries(test::float64_cases(1025, 200, d, 32)))
        ASSERT_NO_FATAL_FAILURE(expect_definition(c, fused(k)));
}

TEST_F(CudaDoubt, RowsAreThoseOfTheDefinitionAtAwkwardSizes) {
  for (const std::int64_t k : {1, 8, 32})
    for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 64, 65})
      for (const std::int64_t m : {0, 1, 33})
        for (const auto& c : test::cases(n, m, 3, 33, test::tied_clouds()))
          ASSERT_NO_FATAL_FAILURE(expect_definition(c, fused(k)));
}

TEST_F(CudaDoubt, RowsAreThoseOfTheDefinitionForAnyShifts) {
  for (const int shifts : {1, 5, 7, 9})
    for (const std::int64_t k : {8, 32})
      for (const auto& c : with_moved_queries(test::cases(1025, 200, 3, 34))) {
        SearchOptions options = fused(k);
        options.shifts = shifts;
        ASSERT_NO_FATAL_FAILURE(expect_definition(c, options));
      }
}

/// A window, fewer bits or `paper` give the shifted sort alone; the sample is searched exactly all the same.
TEST_F(CudaDoubt, SearchesTheSampleBesideAnyShiftedSort) {
  for (const auto& c : test::cases(1025, 200, 3, 35)) {
    SearchOptions narrow = fused(8), coarse = fused(8);
    narrow.window = 3;
    coarse.bits = 20;
    for (const SearchOptions& options : {narrow, coarse, paper(8)})
      ASSERT_NO_FATAL_FAILURE(expect_definition(c, options));
  }
}

/// More points in one cell than there are in order of their index elsewhere: others are put in another order first.
TEST_F(CudaDoubt, ManyPointsInOneCell) {
  constexpr std::int64_t n = 40000, m = 300;
  test::Random random(36);
  const auto coordinate = [&](std::int64_t i, int) {
    return i % 100 == 0 ? random.uniform() : 0.5 + 8e-7 * random.uniform();
  };
  for (const int d : {2, 3}) {
    const auto data = test::to_points(test::make_cloud(n, d, coordinate), d);
    const auto queries = test::to_points(test::make_cloud(m, d, coordinate), d);
    for (const std::int64_t k : {1, 8, 20})
      ASSERT_NO_FATAL_FAILURE(expect_definition({"crowded", data, queries}, fused(k)));
  }
}

}  // namespace
}  // namespace kann
