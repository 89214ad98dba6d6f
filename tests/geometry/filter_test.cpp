// The filter's bounds must hold for every pair of points, and be near the distances that they bound.
#include "geometry/filter.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"
#include "geometry/distance.hpp"
#include "problem/frame.hpp"

namespace kann {
namespace {

void expect_bounds(const auto& filter, float f, double sq_dist, const char* what) {
  ASSERT_LE(f, filter.above(sq_dist)) << what << " " << sq_dist;
  ASSERT_LE(sq_dist, filter.exact_above(f)) << what << " " << sq_dist;
}

/// A number of any magnitude below 2^exponent, of either sign.
double number(test::Random& random, int exponent, int decades) {
  return std::ldexp(2 * random.uniform() - 1, exponent - static_cast<int>(random.below(decades)));
}

template <int D>
void expect_bounds_of_floats(int exponent, int decades, std::uint64_t seed) {
  test::Random random(seed);
  for (int i = 0; i < 10000; ++i) {
    float p[D], q[D];
    double dp[D], dq[D];
    for (int a = 0; a < D; ++a) {
      p[a] = static_cast<float>(number(random, exponent, decades));
      q[a] = i % 3 == 0 ? std::nextafter(p[a], 0.0f) : static_cast<float>(p[a] + number(random, exponent, decades));
      dp[a] = p[a];
      dq[a] = q[a];
    }
    ASSERT_NO_FATAL_FAILURE(expect_bounds(geometry::GivenFilter(), geometry::sq_distance<D>(p, q),
                                          geometry::sq_distance<D>(dp, dq), "given"));
  }
}

TEST(GivenFilter, BoundsTheDistancesOfFloat32s) {
  for (const auto& [exponent, decades] : {std::pair{0, 3}, {0, 60}, {40, 200}, {127, 20}, {-100, 40}, {-140, 9}}) {
    ASSERT_NO_FATAL_FAILURE(expect_bounds_of_floats<3>(exponent, decades, 3));
    ASSERT_NO_FATAL_FAILURE(expect_bounds_of_floats<2>(exponent, decades, 4));
  }
}

TEST(GivenFilter, IsNarrow) {
  const geometry::GivenFilter filter;
  EXPECT_LT(filter.above(filter.exact_above(1.0f)), 1 + 0x1p-19f);
  EXPECT_EQ(filter.above(std::numeric_limits<double>::infinity()), std::numeric_limits<float>::infinity());
  EXPECT_EQ(filter.above(1e80), std::numeric_limits<float>::infinity());
}

/// Points about `offset` from the origin of the frame, 2^-spacing of the offset apart.
template <int D>
void expect_bounds_in_frame(double offset, int spacing, int scale, std::uint64_t seed) {
  test::Random random(seed);
  problem::Frame frame;
  for (int a = 0; a < D; ++a) frame.origin[a] = number(random, 20, 3);
  frame.scale = std::ldexp(1.0, scale);
  for (int i = 0; i < 10000; ++i) {
    float p[D], q[D];
    double dp[D], dq[D];
    float largest = 0;
    for (int a = 0; a < D; ++a) {
      dq[a] = frame.origin[a] + offset * (2 * random.uniform() - 1);
      dp[a] = dq[a] + number(random, std::ilogb(offset) - spacing, 8);
      p[a] = frame.apply(dp[a], a);
      q[a] = frame.apply(dq[a], a);
      largest = std::max(largest, std::abs(q[a]));
    }
    ASSERT_NO_FATAL_FAILURE(expect_bounds(geometry::FrameFilter(largest, 1 / frame.scale),
                                          geometry::sq_distance<D>(p, q), geometry::sq_distance<D>(dp, dq), "frame"));
  }
}

TEST(FrameFilter, BoundsTheDistancesOfRoundedPoints) {
  for (const double offset : {1e-3, 1.0, 1e7, 1e30, 1e-30})
    for (const int spacing : {0, 10, 22, 24, 26, 40, 60})
      for (const int scale : {0, 30, -100, 60}) {
        ASSERT_NO_FATAL_FAILURE(expect_bounds_in_frame<3>(offset, spacing, scale, 5)) << offset << " " << spacing;
        ASSERT_NO_FATAL_FAILURE(expect_bounds_in_frame<2>(offset, spacing, scale, 6)) << offset << " " << spacing;
      }
}

TEST(FrameFilter, LetsEverythingPassForAQueryPastFloat32) {
  const geometry::FrameFilter filter(std::numeric_limits<float>::max(), 1);
  EXPECT_EQ(filter.above(0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(filter.exact_above(0), std::numeric_limits<double>::infinity());
}

TEST(FrameFilter, IsNarrowWhereTheRoundingIsSmall) {
  const geometry::FrameFilter filter(1.0f, 0.5);
  EXPECT_LT(filter.above(filter.exact_above(0x1p-4f)), 0x1p-4f * (1 + 0x1p-17f));
}

}  // namespace
}  // namespace kann
