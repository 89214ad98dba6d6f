// Query grids: every point is in a cell, no row or column is more than that, and centres are where rasters have them.
#include "kann/query_grid.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>

#include "clouds.hpp"
#include "float64_clouds.hpp"
#include "refusal.hpp"

namespace kann {

using namespace test;

namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN(), k_infinity = std::numeric_limits<double>::infinity();

Points cloud(int d, std::initializer_list<double> values) { return {d, Array<double>(values)}; }

std::string message_of(const auto& call) { return refusal_of(ErrorKind::usage, call); }

/// Every cell has its centre in its place, no other has, and every point is in a cell.
void expect_grid_of(const Points& points, double step, const std::string& what) {
  const QueryGrid grid = grid_over(points, step, 2);
  const Points centers = cell_centers(grid, 3);
  const auto shape = grid.shape();
  const auto origin = grid.origin();
  const int d = points.dimensions;
  ASSERT_EQ(std::ssize(shape), d) << what;
  ASSERT_EQ(std::ssize(origin), d) << what;
  ASSERT_EQ(centers.dimensions, d) << what;
  ASSERT_EQ(centers.size(), grid.size()) << what;
  ASSERT_EQ(grid.size(), std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies())) << what;

  const double tolerance = step * 0x1p-10;
  const std::int64_t layers = d == 3 ? shape[0] : 1, rows = shape[d - 2], columns = shape[d - 1];
  std::int64_t i = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer)
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column, ++i) {
        ASSERT_NEAR(centers.at(i, 0), origin[0] + (static_cast<double>(column) + .5) * step, tolerance) << what;
        ASSERT_NEAR(centers.at(i, 1), origin[1] - (static_cast<double>(row) + .5) * step, tolerance) << what;
        if (d == 3) {
          ASSERT_NEAR(centers.at(i, 2), origin[2] + (static_cast<double>(layer) + .5) * step, tolerance) << what;
        }
        for (int a = 0; a < d; ++a)  // aligned to multiples of the step
          ASSERT_NEAR(std::remainder(centers.at(i, a) / step - .5, 1), 0, 0x1p-9) << what;
      }
  std::vector<double> lowest(3, k_infinity), highest(3, -k_infinity);
  for (std::int64_t p = 0; p < points.size(); ++p)
    for (int a = 0; a < d; ++a) {
      lowest[a] = std::min(lowest[a], points.at(p, a));
      highest[a] = std::max(highest[a], points.at(p, a));
    }
  for (int a = 0; points.size() > 0 && a < d; ++a) {
    const double low = static_cast<double>(grid.first[a]) * step;
    const double high = static_cast<double>(grid.first[a] + grid.cells[a]) * step;
    EXPECT_TRUE(low <= lowest[a] + tolerance && lowest[a] < low + step + tolerance) << what << ' ' << low;
    EXPECT_TRUE(high - step <= highest[a] + tolerance && highest[a] < high + tolerance) << what << ' ' << high;
  }
}

TEST(QueryGridTest, HoldsEveryPointAndNoCellMore) {
  for (const int d : {2, 3})
    for (const std::int64_t n : {0, 1, 2, 3, 300}) {
      for (const CloudKind& kind : all_clouds()) {
        const Points points = to_points(kind.make(n, d, 5), d);
        double width = 0, farthest = 0;
        for (std::int64_t i = 0; i < n; ++i)
          for (int a = 0; a < d; ++a) {
            width = std::max(width, std::abs(points.at(i, a) - points.at(0, a)));
            farthest = std::max(farthest, std::abs(points.at(i, a)));
          }
        const double step = std::max({width / 7, farthest * 0x1p-40, 1e-300});
        expect_grid_of(points, step, kind.name + ' ' + std::to_string(n) + " in " + std::to_string(d) + "-D");
      }
      expect_grid_of(to_points(map_tile(n, d, 6), d), 100, "map tile");
    }
}

TEST(QueryGridTest, RunsEastThenSouthThenUp) {
  const QueryGrid flat = grid_over(cloud(2, {-0.5, -1.25, 2.5, 1}), 1);
  EXPECT_EQ(flat.shape(), (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(flat.origin(), (std::vector<double>{-1, 2}));
  const Points centers = cell_centers(flat);
  EXPECT_EQ(centers.at(0, 0), -.5);
  EXPECT_EQ(centers.at(0, 1), 1.5);
  EXPECT_EQ(centers.at(3, 0), 2.5);
  EXPECT_EQ(centers.at(3, 1), 1.5);
  EXPECT_EQ(centers.at(15, 0), 2.5);
  EXPECT_EQ(centers.at(15, 1), -1.5);

  const QueryGrid solid = grid_over(cloud(3, {0, 0, -3, 1, 1, 4}), 2);
  EXPECT_EQ(solid.shape(), (std::vector<std::int64_t>{5, 1, 1}));
  EXPECT_EQ(solid.origin(), (std::vector<double>{0, 2, -4}));
  const Points stack = cell_centers(solid);
  for (int layer = 0; layer < 5; ++layer) EXPECT_EQ(stack.at(layer, 2), 2 * layer - 3);
}

TEST(QueryGridTest, AMaximumOnABorderIsInTheNextCell) {
  EXPECT_EQ(grid_over(cloud(2, {0, 0, 2, 2}), 1).shape(), (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(grid_over(cloud(2, {-1, -1, 0, 0}), .5).shape(), (std::vector<std::int64_t>{3, 3}));
  // A step that float64 rounds, among the eastings and northings of a map
  const QueryGrid map = grid_over(cloud(2, {637000, 5e6, 637000.35, 5000000.15}), .1);
  EXPECT_EQ(map.first[0], 6370000);
  EXPECT_EQ(map.first[1], 50000000);
  EXPECT_EQ(map.shape(), (std::vector<std::int64_t>{2, 4}));
  EXPECT_NEAR(cell_centers(map).at(0, 1), 5000000.15, 1e-9);
}

TEST(QueryGridTest, TheGridsOfTwoTilesHaveTheSameCells) {
  const Points tile = to_points(map_tile(2000, 2, 9), 2);
  Points east{2, Array<double>()}, west = east;
  for (std::int64_t i = 0; i < tile.size(); ++i) {
    auto& half = std::get<Array<double>>((tile.at(i, 0) < 1e7 + 433.3 ? west : east).coordinates);
    half.insert(half.end(), {tile.at(i, 0), tile.at(i, 1)});
  }
  const Points all = cell_centers(grid_over(tile, 7.3));
  std::set<std::pair<double, double>> places;
  for (std::int64_t i = 0; i < all.size(); ++i) places.emplace(all.at(i, 0), all.at(i, 1));
  for (const Points& half : {east, west}) {
    const Points centers = cell_centers(grid_over(half, 7.3));
    ASSERT_GT(centers.size(), 100);
    for (std::int64_t i = 0; i < centers.size(); ++i)
      ASSERT_TRUE(places.contains({centers.at(i, 0), centers.at(i, 1)})) << i;
  }
}

TEST(QueryGridTest, WhatIsNotFiniteDoesNotCount) {
  EXPECT_EQ(grid_over(cloud(2, {k_nan, 1e9, 0.5, 0.5, k_infinity, -7}), 1).shape(), (std::vector<std::int64_t>{1, 1}));
  const QueryGrid none = grid_over(cloud(3, {k_nan, 0, 0}), 1);
  EXPECT_EQ(none.shape(), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(none.origin(), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(cell_centers(none).size(), 0);
}

TEST(QueryGridTest, RefusesWhatIsNoStep) {
  for (const double step : {0.0, -1.0, k_nan, k_infinity, 5e-324})
    EXPECT_TRUE(message_of([&] { grid_over(cloud(2, {0, 0}), step); }).starts_with("the step of a grid")) << step;
  EXPECT_THROW(grid_over(cloud(4, {0, 0, 0, 0}), 1), Error);
}

TEST(QueryGridTest, RefusesMoreCellsThanASearchTakes) {
  EXPECT_EQ(
      message_of([] {
        grid_over(cloud(2, {0, 0, 100, 1000}), .001);
      }),
      "a grid of step 0.001 has 100001 x 1000001 = 100001100001 cells, and a search takes 2147483647; take a larger "
      "step");
  EXPECT_EQ(grid_over(cloud(2, {0, 0, 2147483646, 0}), 1).size(), 2147483647);
  EXPECT_NE(message_of([] { grid_over(cloud(2, {0, 0, 2147483647, 0}), 1); }), "");
  EXPECT_NE(message_of([] { grid_over(cloud(3, {-1e30, -1e30, -1e30, 1e30, 1e30, 1e30}), 1); }), "");
}

TEST(QueryGridTest, RefusesCellsThatFloat64DoesNotTellApart) {
  EXPECT_EQ(
      message_of([] {
        grid_over(cloud(2, {5e6, 0}), 1e-7);
      }),
      "a grid of step 1e-07 is too fine for coordinates of 5e+06: float64 does not tell its cells apart; take a step "
      "of 6.3e-07 or more");
  EXPECT_EQ(grid_over(cloud(2, {5e6, 0}), 6.3e-7).size(), 1);
  EXPECT_NE(message_of([] { grid_over(cloud(2, {1e300, 0}), 1e-300); }), "");
  EXPECT_NE(message_of([] { grid_over(cloud(2, {-1.7e308, 0, 1.7e308, 0}), 1); }), "");
  EXPECT_EQ(message_of([] {
              grid_over(cloud(2, {1.7e308, 0}), 1e308);
            }),
            "a grid of step 1e+308 reaches past the largest float64; take a smaller step");
}

TEST(QueryGridTest, RefusesStepsWithoutAllTheirDigits) {
  EXPECT_EQ(message_of([] {
              grid_over(cloud(2, {0, 0}), 5e-324);
            }),
            "the step of a grid is 2.3e-308 or more, below which float64 has fewer digits (got 5e-324)");
}

/// Data that are too wide themselves are the search's to refuse.
TEST(QueryGridTest, RefusesCellsTooFarFromTheDataForASearch) {
  for (const double step : {1e154, 1e200, 1e300})
    EXPECT_NE(message_of([&] {
                grid_over(cloud(2, {-50, -50, 50, 50}), step);
              }).find("take a smaller step"),
              std::string::npos);
  EXPECT_EQ(message_of([] {
              grid_over(cloud(2, {-50, 1, 50, 2}), 1e300);
            }),
            "a grid of step 1e+300 has cells that reach from -1e+300 to 1e+300 over data from -50 to 50, and a search "
            "takes points up to 10^153 apart; take a smaller step");
  EXPECT_EQ(grid_over(cloud(2, {-50, -50, 50, 50}), 1e153).size(), 4);
  EXPECT_EQ(grid_over(cloud(2, {-1e200, 0, 1e200, 0}), 1e200).size(), 3);
}

TEST(QueryGridTest, RefusesCellsThatCannotBe) {
  EXPECT_EQ(message_of([] { cell_centers({.dimensions = 4}); }), "a grid has 2 or 3 dimensions, not 4");
  EXPECT_EQ(message_of([] {
              cell_centers({.cells = {65536, 65536, 0}});
            }),
            "a grid of 4294967296 cells, and a search takes 0 to 2147483647");
  EXPECT_NE(message_of([] { cell_centers({.cells = {-1, -1, 0}}); }), "");
}

}  // namespace
}  // namespace kann
