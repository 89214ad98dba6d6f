// The box of most points of a cloud, and the window of an order around a query.
#include "geometry/box.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <vector>

#include "clouds.hpp"
#include "geometry/window.hpp"

namespace kann::geometry {
namespace {

Box bounds_of(const test::Coordinates& c, int d) {
  Box box;
  for (int a = 0; a < d; ++a) box.lo[a] = box.hi[a] = c[a];
  for (std::size_t i = 0; i < c.size(); ++i) {
    box.lo[i % d] = std::min<double>(box.lo[i % d], c[i]);
    box.hi[i % d] = std::max<double>(box.hi[i % d], c[i]);
  }
  return box;
}

Grid grid_of(const test::Coordinates& c) {
  const auto n = static_cast<std::int64_t>(c.size()) / 3;
  std::vector<double> sample;
  for (std::int64_t i = 0; i < sample_size(n); ++i)
    for (int a = 0; a < 3; ++a) sample.push_back(c[sample_row(i, n) * 3 + a]);
  const Box bounds = bounds_of(c, 3);
  return grid_over<3>(grid_box(bounds, core_box(bounds, sample, 3), 3));
}

TEST(Box, CoversACloudWithoutOutliers) {
  for (const std::int64_t n : {2, 3, 4, 5, 100, 10000}) {
    const auto c = test::uniform(n, 3, 1);
    const Box bounds = bounds_of(c, 3);
    const Grid grid = grid_of(c);
    EXPECT_EQ(grid.lo[0], static_cast<float>(bounds.lo[0])) << n;
    EXPECT_FLOAT_EQ(grid.inv, static_cast<float>(0x1p20 / bounds.extent(3))) << n;
  }
}

TEST(Box, OneScaleForAllAxes) {
  const auto c = test::slab(10000, 3, 1);
  const Grid grid = grid_of(c);
  EXPECT_NEAR(grid.inv, 0x1p20 / 1e4, 0.1);
}

TEST(Box, ADistantOutlierLeavesManyCellsToTheOthers) {
  for (const std::int64_t n : {10, 1000, 100000}) {
    const auto c = test::outlier(n, 3, 1);
    const Grid grid = grid_of(c);
    std::set<std::uint32_t> cells;
    for (std::size_t i = 0; i < c.size(); i += 3) cells.insert(cell_of<3>(c[i], grid.lo[0], grid.inv));
    EXPECT_GE(cells.size(), std::min<std::size_t>(static_cast<std::size_t>(n) * 9 / 10, 30000)) << n;
  }
}

/// A map tile of 100 × 100 × 10 at (5·10⁵, 5·10⁶, 100).
test::Coordinates tile(std::int64_t n, std::uint64_t seed) {
  auto c = test::uniform(n, 3, seed);
  for (std::size_t i = 0; i < c.size(); i += 3)
    c[i] = c[i] * 100 + 5e5f, c[i + 1] = c[i + 1] * 100 + 5e6f, c[i + 2] = c[i + 2] * 10 + 100;
  return c;
}

Box core_of(const test::Coordinates& c) {
  const auto n = static_cast<std::int64_t>(c.size()) / 3;
  std::vector<double> sample;
  for (std::int64_t i = 0; i < sample_size(n); ++i)
    for (int a = 0; a < 3; ++a) sample.push_back(c[sample_row(i, n) * 3 + a]);
  return core_box(bounds_of(c, 3), sample, 3);
}

TEST(Box, CoreIgnoresMissingReturnsAtTheOrigin) {
  for (const int percent : {3, 20, 60, 95}) {
    auto c = tile(100000, 1);
    test::Random random(2);
    for (std::size_t i = 0; i < c.size(); i += 3)
      if (random.below(100) < static_cast<std::uint64_t>(percent)) c[i] = c[i + 1] = c[i + 2] = 0;
    EXPECT_LE(core_of(c).extent(3), 100.5) << percent;
  }
}

TEST(Box, CoreIgnoresAQuarterOfFarPoints) {
  for (const int percent : {3, 10, 20}) {
    auto c = test::uniform(100000, 3, 1);
    test::Random random(2);
    for (float& x : c)
      if (random.below(100) < static_cast<std::uint64_t>(percent)) x *= 1e6f;
    EXPECT_LE(core_of(c).extent(3), 2 * 64 + 1) << percent;
  }
}

TEST(Box, CoreIgnoresAFarColumnOfAScan) {
  for (const int first : {0, 1, 64, 127}) {
    auto c = test::uniform(1 << 17, 3, 1);
    for (std::size_t i = 3 * first; i < c.size(); i += 3 * 128) c[i] = c[i + 1] = c[i + 2] = 1e6f + c[i];
    EXPECT_LE(core_of(c).extent(3), 1) << first;
  }
}

TEST(Box, CoreCoversTwoScansSideBySide) {
  for (const int percent : {5, 20, 50}) {
    auto c = test::uniform(100000, 3, 1);
    for (std::size_t i = 0; i < c.size() * percent / 100 / 3 * 3; i += 3) c[i] += 20;
    EXPECT_GE(core_of(c).extent(3), 20) << percent;
  }
}

TEST(Box, SamplesOneRowOfEachRun) {
  for (const std::int64_t n : {1, 2, 4095, 4096, 4097, 8191, 100000}) {
    std::int64_t before = -1;
    for (std::int64_t i = 0; i < sample_size(n); ++i) {
      const std::int64_t row = sample_row(i, n);
      ASSERT_GT(row, before) << n;
      ASSERT_GE(row, i * n / sample_size(n)) << n;
      ASSERT_LT(row, (i + 1) * n / sample_size(n)) << n;
      before = row;
    }
  }
}

TEST(Box, OrderStatisticsAreThoseOfSortedValues) {
  test::Random random(3);
  const auto numbers = [&](std::size_t count, auto&& next) {
    std::vector<double> values(count);
    for (double& x : values) x = next();
    return values;
  };
  for (const std::size_t count : {1, 2, 3, 255, 256, 257, 4096})
    for (const auto& values :
         {numbers(count, [&] { return random.uniform(); }), numbers(count, [&] { return 7.0; }),
          numbers(count, [&] { return static_cast<double>(random.below(3)); }),
          numbers(count, [&] { return std::ldexp(1.0, static_cast<int>(random.below(2000)) - 1000); }),
          numbers(count, [&] { return random.below(2) ? 1e308 : -1e308; }),
          numbers(count, [&] { return random.below(9) ? random.uniform() - 0.5 : 1e6; })}) {
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const std::array<std::size_t, 4> places = {0, count / 64, count / 2, count - 1};
      const auto found = order_statistics(values, places);
      for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(found[i], sorted[places[i]]) << count;
    }
}

TEST(Box, OfOnePointOrNone) {
  EXPECT_EQ(grid_of(test::identical(1000, 3, 1)).inv, 0.0f);
  EXPECT_EQ(grid_over<3>(grid_box({}, core_box({}, {}, 3), 3)).inv, 0.0f);
}

TEST(Box, CoversAllPointsWhenMostAreIdentical) {
  auto c = test::identical(1000, 3, 1);
  c[0] = 0.0f;
  EXPECT_FLOAT_EQ(grid_of(c).inv, 0x1p20f / 1.5f);
}

TEST(Window, HasTwiceTheHalfOrAllPositionsAndTheRankInside) {
  for (std::int64_t n = 0; n <= 20; ++n)
    for (std::int64_t half = 1; half <= 12; ++half)
      for (std::int64_t rank = 0; rank <= n; ++rank) {
        const Window w = window_around(rank, half, n);
        ASSERT_GE(w.begin, 0);
        ASSERT_LE(w.end, n);
        ASSERT_EQ(w.end - w.begin, std::min(n, 2 * half));
        if (rank >= half && rank + half <= n) {
          ASSERT_EQ(w.begin, rank - half);
        }
        ASSERT_LE(w.begin, rank);
        ASSERT_GE(w.end, std::min(rank, n));
      }
}

TEST(Window, EndsInsideTheOrder) {
  EXPECT_EQ(window_around(5, 2, 10).begin, 3);
  EXPECT_EQ(window_around(0, 2, 10).begin, 0);
  EXPECT_EQ(window_around(10, 2, 10).begin, 6);
}

TEST(Window, OfTheLargestHalfIsTheWholeOrder) {
  EXPECT_EQ(window_around(7, std::numeric_limits<std::int64_t>::max(), 10).begin, 0);
  EXPECT_EQ(window_around(7, std::numeric_limits<std::int64_t>::max(), 10).end, 10);
}

}  // namespace
}  // namespace kann::geometry
