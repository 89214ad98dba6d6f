// Which tiles a ball reaches, against all distances to all points.
#include "flow/routes/tile_map.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "clouds.hpp"

namespace kann::flow {
namespace {

using namespace test;

/// Tiles of points that follow each other in a cloud, in parts that do, too.
struct Divided {
  std::vector<Coordinates> points;
  std::vector<std::size_t> tile_of;
  std::vector<TileBoxes> tiles;

  Divided(const std::vector<float>& c, std::size_t d, std::size_t count) {
    const std::size_t n = c.size() / d;
    for (std::size_t t = 0; t < count; ++t) tiles.push_back({.section = static_cast<std::uint32_t>(t), .boxes = {}});
    for (std::size_t i = 0; i < n; ++i) {
      Coordinates point{};
      std::copy_n(c.begin() + static_cast<std::ptrdiff_t>(i * d), d, point.begin());
      const std::size_t part = i * count * CurveSections::k_slices / n;
      points.push_back(point);
      tile_of.push_back(part / CurveSections::k_slices);
      tiles[tile_of.back()].add(static_cast<std::uint32_t>(part), point, static_cast<std::int64_t>(i));
    }
  }
};

double sq_distance(const Coordinates& a, const Coordinates& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return std::fma(z, z, std::fma(y, y, x * x));
}

TEST(TileMap, MissesNoTileThatHasANearerPoint) {
  int others = 0, reached_none = 0;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::size_t count : {1, 2, 9, 70}) {
        const Divided cloud(kind.make(600, d, 3), static_cast<std::size_t>(d), count);
        const TileMap map(d, cloud.tiles);
        Random r(4);
        for (int query = 0; query < 40; ++query) {
          const std::size_t at = r.below(cloud.points.size()), last = r.below(cloud.points.size());
          const Coordinates& point = cloud.points[at];
          // As the distance of a neighbour is given
          const double sq_radius = sq_distance(point, cloud.points[last]);
          const auto distance = static_cast<float>(std::sqrt(sq_radius));
          std::vector<std::uint32_t> reached;
          map.reached(point, sq_radius, static_cast<std::int64_t>(last), reached);
          const std::size_t home = cloud.tile_of[at];
          bool has_other = false;
          for (std::size_t i = 0; i < cloud.points.size(); ++i) {
            const double sq = sq_distance(point, cloud.points[i]);
            if (sq > sq_radius || (sq == sq_radius && i >= last)) continue;
            ASSERT_TRUE(std::ranges::binary_search(reached, cloud.tile_of[i])) << kind.name << ", point " << i;
            has_other |= cloud.tile_of[i] != home;
          }
          const bool may = map.may_reach_others(point, distance, home);
          ASSERT_TRUE(may || !has_other) << kind.name << ", " << d << "-D";
          ASSERT_TRUE(may || std::ranges::count(reached, home) == std::ssize(reached)) << kind.name;
          others += may;
          reached_none += !may;
        }
      }
  EXPECT_GT(others, 1000);
  EXPECT_GT(reached_none, 1000);
}

TEST(TileMap, ABallWithoutEndReachesAll) {
  const Divided cloud(all_clouds().front().make(500, 3, 1), 3, 5);
  const TileMap map(3, cloud.tiles);
  std::vector<std::uint32_t> reached;
  map.reached(cloud.points[0], INFINITY, -1, reached);
  EXPECT_EQ(reached.size(), 5u);
  EXPECT_TRUE(map.may_reach_others(cloud.points[0], INFINITY, 0));
}

}  // namespace
}  // namespace kann::flow
