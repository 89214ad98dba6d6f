// Squared distances, their roots, order and comparison with a radius, against arithmetic with 64 bits of precision or
// of whole numbers; and that the bounds of the filter hold for every pair of points, and are near the distances.
#include "geometry/distance.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "geometry/exact_neighbor.hpp"
#include "geometry/filter.hpp"
#include "geometry/lattice.hpp"
#include "geometry/within_radius.hpp"
#include "problem/frame.hpp"

namespace kann::geometry {
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

/// Whole numbers times powers of two, whose squares 64 bits hold: from the smallest denormals to where R² overflows.
TEST(WithinRadius, IsThatOfWholeNumbersAtAnyScale) {
  test::Random random(1);
  const auto number = [&](int bits) { return static_cast<std::int64_t>(random.below(std::uint64_t{1} << bits)); };
  for (const int bits : {2, 4, 22})
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t x = number(bits), y = number(bits), z = number(bits);
      const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(x * x + y * y + z * z)));
      for (const std::int64_t r : {root - 1, root, root + 1, number(bits)}) {
        if (r < 0) continue;
        const bool is_within = x * x + y * y + z * z <= r * r;
        for (const int power : {-1074, -700, -430, -401, -400, -399, 0, 480}) {
          const auto scaled = [&](std::int64_t value) { return std::ldexp(static_cast<double>(value), power); };
          const WithinRadius within(scaled(r));
          ASSERT_EQ(within({scaled(x), -scaled(y), scaled(z)}), is_within)
              << x << " " << y << " " << z << " " << r << " " << power;
          if (is_within) {
            ASSERT_LE(sq_distance_3d(scaled(x), scaled(y), scaled(z)), within.sq_bound());
          }
        }
      }
    }
}

TEST(WithinRadius, TakesTheEndsOfFloat64) {
  const double largest = std::numeric_limits<double>::max();
  EXPECT_TRUE(WithinRadius(largest)({1e150, 1e150, 1e150}));
  EXPECT_FALSE(WithinRadius(1e-300)({1e150, 0, 0}));
  EXPECT_TRUE(WithinRadius(0)({0, -0.0, 0}));
  EXPECT_FALSE(WithinRadius(0)({0, 0x1p-1074, 0}));
}

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

TEST(LastBit, IsThatOfAnOddMultipleOfAPowerOfTwo) {
  test::Random random(5);
  for (int i = 0; i < 100000; ++i) {
    const float x = geometry::float_of(static_cast<std::uint32_t>(random.below(0xffffffff)));
    if (x == 0 || !std::isfinite(x)) continue;
    ASSERT_EQ(std::abs(std::fmod(std::ldexp(static_cast<double>(x), -last_bit(x)), 2.0)), 1.0) << x;
  }
  EXPECT_EQ(last_bit(12), 2);
  EXPECT_EQ(last_bit(-0.75f), -2);
  EXPECT_EQ(last_bit(0x1p-149f), -149);
  EXPECT_EQ(last_bit(0x1p-126f), -126);
  EXPECT_EQ(last_bit(0), geometry::k_no_last_bit);
  EXPECT_EQ(last_bit(-0.0f), geometry::k_no_last_bit);
}

TEST(ExactFloat32Limit, IsZeroWhereSquaresUnderflow) {
  EXPECT_EQ(geometry::exact_float32_limit(-75), 0);
  EXPECT_EQ(geometry::exact_float32_limit(-74), 0x1p-124f);
  EXPECT_EQ(geometry::exact_float32_limit(0), 0x1p24f);
  EXPECT_EQ(geometry::exact_float32_limit(60), 0x1p127f);
  EXPECT_EQ(geometry::exact_float32_limit(geometry::k_no_last_bit), std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace kann::geometry
