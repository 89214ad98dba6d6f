#include "tiles/shifts/nearest_seen.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "clouds.hpp"

namespace kann::tiles {
namespace {

TEST(SeenPoint, KnowsItsRowAndWhetherItIsGiven) {
  for (const std::int64_t row : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40, (std::int64_t{1} << 62) - 1})
    for (const bool is_beyond : {false, true}) {
      const SeenPoint point(row, is_beyond);
      EXPECT_EQ(point.row(), row);
      EXPECT_EQ(point.is_given(), !is_beyond);
      EXPECT_FALSE(point.is_none());
      EXPECT_LT(point, SeenPoint(row + 1, false));
      EXPECT_LT(point, SeenPoint());
    }
  EXPECT_EQ(SeenPoint().row(), -1);
  EXPECT_TRUE(SeenPoint().is_none());
  EXPECT_FALSE(SeenPoint().is_given());
  EXPECT_EQ(sizeof(SeenPoint), sizeof(std::int64_t));
}

/// Points come several times, many equally far.
TEST(NearestSeen, HasTheFirstOfAllThatItTakes) {
  test::Random random(3);
  for (const std::size_t size : {1u, 2u, 8u, 30u})
    for (const std::int64_t rows : {1, 5, 200}) {
      std::vector<float> sq_dists(size);
      std::vector<SeenPoint> points(size);
      const NearestSeen seen{sq_dists, points};
      seen.clear();
      std::set<std::pair<float, std::int64_t>> all;
      for (int i = 0; i < 400; ++i) {
        const auto row = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows)));
        const auto sq_dist = static_cast<float>(row * 7 % 5);
        all.emplace(sq_dist, row);
        if (seen.may_take(sq_dist)) seen.insert(sq_dist, {row, row % 3 == 0});
      }
      auto next = all.begin();
      for (std::size_t i = 0; i < size; ++i) {
        if (next == all.end()) {
          EXPECT_TRUE(points[i].is_none() && std::isinf(sq_dists[i])) << i;
          continue;
        }
        EXPECT_EQ(sq_dists[i], next->first) << i;
        EXPECT_EQ(points[i].row(), next->second) << i;
        EXPECT_EQ(points[i].is_given(), next->second % 3 != 0) << i;
        ++next;
      }
    }
  EXPECT_FALSE((NearestSeen{{}, {}}.may_take(0)));
}

}  // namespace
}  // namespace kann::tiles
