// Unevenness of clouds of which it is known.
#include "problem/unevenness.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "clouds.hpp"
#include "problem/survey.hpp"

namespace kann {
namespace {

double unevenness_of(const test::Coordinates& cloud, int d) {
  const Points points = test::to_points(cloud, d);
  return problem::unevenness(problem::survey(points, 1).box, {cloud.begin(), cloud.end()}, d);
}

TEST(Unevenness, OfEvenCloudsIsOne) {
  for (const int d : {2, 3})
    for (const std::uint64_t seed : {1, 2, 3}) EXPECT_NEAR(unevenness_of(test::uniform(4096, d, seed), d), 1, 0.05);
  EXPECT_NEAR(unevenness_of(test::slab(4096, 3, 1), 3), 1, 0.05);
}

TEST(Unevenness, IsTheMeanSquareOfTheDensity) {
  test::Random r(5);
  // The density rises in proportion to x: the mean of its square is 4/3 of that of its mean
  const auto rising =
      test::make_cloud(4096, 3, [&](auto, int a) { return a == 0 ? std::sqrt(r.uniform()) : r.uniform(); });
  EXPECT_NEAR(unevenness_of(rising, 3), 4.0 / 3, 0.06);
  // All points in half of the box
  auto half = test::make_cloud(4096, 3, [&](auto, int a) { return a == 0 ? r.uniform() / 2 : r.uniform(); });
  half[0] = 1;
  EXPECT_NEAR(unevenness_of(half, 3), 2, 0.15);
}

TEST(Unevenness, OfASurfaceIsLarge) {
  test::Random r(5);
  const auto bent = test::make_cloud(4096, 3, [&, x = 0.0](auto, int a) mutable {
    return a == 0 ? (x = r.uniform()) : a == 1 ? r.uniform() : x * x;
  });
  EXPECT_GT(unevenness_of(bent, 3), 3);
  EXPECT_GT(unevenness_of(test::clusters(4096, 3, 1), 3), 3);
}

TEST(Unevenness, OfALatticeIsInfinite) {
  test::Random r(5);
  const auto lattice = [&](double side, int d) {
    return test::make_cloud(4096, d, [&](auto, int) { return std::floor(r.uniform() * side); });
  };
  EXPECT_TRUE(std::isinf(unevenness_of(lattice(161, 3), 3)));
  EXPECT_TRUE(std::isinf(unevenness_of(lattice(2896, 2), 2)));
  EXPECT_NEAR(unevenness_of(lattice(1e5, 3), 3), 1, 0.05);
}

TEST(Unevenness, OfABoxWithoutVolumeIsInfinite) {
  EXPECT_TRUE(std::isinf(unevenness_of(test::identical(100, 3, 0), 3)));
  EXPECT_TRUE(std::isinf(unevenness_of(test::plane(100, 3, 1), 3)));
  EXPECT_TRUE(std::isinf(unevenness_of({}, 3)));
  EXPECT_TRUE(std::isinf(unevenness_of({1, 2, 3}, 3)));
}

}  // namespace
}  // namespace kann
