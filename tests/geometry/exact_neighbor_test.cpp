// The order of exact neighbours, and the distance that is written, against arithmetic with 64 bits of precision.
#include "geometry/exact_neighbor.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "brute_force.hpp"
#include "clouds.hpp"

namespace kann {
namespace {

using geometry::ExactNeighbor;
using geometry::rounded_root;

TEST(ExactNeighbor, ComesFirstByItsDistanceThenByItsIndex) {
  EXPECT_LT((ExactNeighbor{1, 9}), (ExactNeighbor{1 + 0x1p-52, 0}));
  EXPECT_LT((ExactNeighbor{1, 3}), (ExactNeighbor{1, 4}));
  EXPECT_FALSE((ExactNeighbor{1, 4}) < (ExactNeighbor{1, 4}));
  EXPECT_LT((ExactNeighbor{0, 4}), (ExactNeighbor{std::numeric_limits<double>::denorm_min(), 3}));
}

TEST(RoundedRoot, IsTheNearestFloatOfAnyScale) {
  test::Random random(1);
  for (int i = 0; i < 200000; ++i) {
    const double sq_dist = std::ldexp(1 + random.uniform(), static_cast<int>(random.below(700)) - 400);
    ASSERT_EQ(rounded_root(sq_dist), test::plain_root(sq_dist)) << sq_dist;
  }
}

// Numbers whose float64 root is the middle of two float32s, or next to it, and whose true root is not.
TEST(RoundedRoot, IsTheNearestFloatBesideTheMiddleOfTwoFloats) {
  test::Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const float root = std::ldexp(static_cast<float>(1 + random.uniform()), static_cast<int>(random.below(120)) - 60);
    const double middle = (static_cast<double>(root) + std::nextafter(root, 1e30f)) / 2;
    double sq_dist = middle * middle;
    for (int step = 0; step < 3; ++step) sq_dist = std::nextafter(sq_dist, 0.0);
    for (int step = -3; step <= 3; ++step, sq_dist = std::nextafter(sq_dist, 1e300))
      ASSERT_EQ(rounded_root(sq_dist), test::plain_root(sq_dist)) << sq_dist << " " << step;
  }
}

TEST(RoundedRoot, HasTheRangeOfFloat32) {
  using Limits = std::numeric_limits<float>;
  const double largest = Limits::max();
  EXPECT_EQ(rounded_root(0), 0);
  EXPECT_EQ(rounded_root(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(rounded_root(1e-90), static_cast<float>(1e-45));
  EXPECT_EQ(rounded_root(1e-80), static_cast<float>(1e-40));
  EXPECT_EQ(rounded_root(largest * largest), Limits::max());
  EXPECT_EQ(rounded_root(0x1p256), Limits::infinity());
  EXPECT_EQ(rounded_root(std::numeric_limits<double>::max()), Limits::infinity());
  EXPECT_EQ(rounded_root(std::numeric_limits<double>::infinity()), Limits::infinity());
}

}  // namespace
}  // namespace kann
