#include "geometry/distance.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

#include "brute_force.hpp"
#include "clouds.hpp"

namespace kann::geometry {

using namespace test;

namespace {

TEST(Distance, IsTheFusedChain) {
  for (const auto& kind : test::all_clouds()) {
    if (kind.name == "huge") continue;  // squares past float32: the search rescales them first
    for (const int d : {2, 3}) {
      const auto c = kind.make(64, d, 3);
      for (int i = 0; i < 64; ++i) {
        const float *p = &c[i * d], *q = &c[(i * 7 % 64) * d];
        const float sq_dist = d == 3 ? sq_distance<3>(p, q) : sq_distance<2>(p, q);
        ASSERT_EQ(sq_dist, test::fused_sq_distance(p, q, d)) << kind.name;
        long double exact = 0;
        for (int a = 0; a < d; ++a)
          exact += (static_cast<long double>(p[a]) - q[a]) * (static_cast<long double>(p[a]) - q[a]);
        ASSERT_NEAR(sq_dist, static_cast<double>(exact), 4e-7 * static_cast<double>(exact) + 1e-44) << kind.name;
      }
    }
  }
}

TEST(Distance, KeysOrderAsPairs) {
  const std::vector<float> sq_dists = {0.0f, 1e-45f, 1e-38f, 0.5f, 1.0f, std::nextafter(1.0f, 2.0f), 3e38f};
  const std::vector<std::uint32_t> indices = {0, 1, 77, 0x7fffffffu};
  for (const float a : sq_dists)
    for (const float b : sq_dists)
      for (const auto i : indices)
        for (const auto j : indices) {
          ASSERT_EQ(neighbor_key(a, i) < neighbor_key(b, j), std::make_pair(a, i) < std::make_pair(b, j));
          ASSERT_LT(neighbor_key(a, i), k_absent);
        }
}

TEST(Distance, KeyHasTheIdAndTheRoot) {
  EXPECT_EQ(neighbor_id(neighbor_key(2.0f, 123)), 123);
  EXPECT_EQ(neighbor_distance(neighbor_key(2.0f, 123), 1), std::sqrt(2.0f));
  EXPECT_EQ(neighbor_distance(neighbor_key(9.0f, 1), 0x1p100), 3 * 0x1p100f);
  EXPECT_EQ(neighbor_id(k_absent), -1);
  EXPECT_EQ(neighbor_distance(k_absent, 1), std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace kann::geometry
