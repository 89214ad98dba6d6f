// The float32 root of a double is rounded once.
#include "products/accuracy/written_distance.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"

namespace kann::accuracy {
namespace {

/// By 64 bits, which tell every root of a double from the midpoint of two float32.
float in_long_double(double sq_dist, double unit) {
  return static_cast<float>(std::sqrt(static_cast<long double>(sq_dist)) * unit);
}

TEST(RoundedRoot, IsThatOfMoreBits) {
  test::Random r(1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::ldexp(1 + r.uniform(), static_cast<int>(r.below(500)) - 250);
    EXPECT_EQ(rounded_root(x, 1), in_long_double(x, 1)) << x;
    EXPECT_EQ(rounded_root(x, 0x1p-20), in_long_double(x, 0x1p-20)) << x;
  }
}

// Squares of midpoints, and their neighbours in double: rounding the double root again goes to the even one.
TEST(RoundedRoot, DoesNotRoundTwice) {
  test::Random r(2);
  int by_two_roundings = 0;
  for (int i = 0; i < 10000; ++i)
    for (const int exponent : {-149, -140, -126, -125, -20, 0, 50, 127}) {
      const double ulp = std::ldexp(1.0, std::max(-149, exponent - 23));
      const double midpoint = static_cast<float>(std::ldexp(1 + r.uniform(), exponent)) + ulp / 2;
      for (const double x : {std::nextafter(midpoint * midpoint, 0), midpoint * midpoint,
                             std::nextafter(midpoint * midpoint, HUGE_VAL)}) {
        ASSERT_EQ(rounded_root(x, 1), in_long_double(x, 1)) << x;
        by_two_roundings += static_cast<float>(std::sqrt(x)) != in_long_double(x, 1);
      }
    }
  EXPECT_GT(by_two_roundings, 1000);
}

TEST(RoundedRoot, EndsInZeroAndInfinity) {
  constexpr float largest = std::numeric_limits<float>::max(), infinite = std::numeric_limits<float>::infinity();
  constexpr double above = 0x1.ffffffp127;  // halfway to 2¹²⁸
  EXPECT_EQ(rounded_root(0, 1), 0);
  EXPECT_EQ(rounded_root(0x1p-302, 1), 0);
  EXPECT_EQ(rounded_root(0x1p-300, 1), 0);  // halfway to the smallest subnormal
  EXPECT_EQ(rounded_root(std::nextafter(0x1p-300, 1), 1), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(rounded_root(static_cast<double>(largest) * largest, 1), largest);
  EXPECT_EQ(rounded_root(std::nextafter(above * above, 0), 1), largest);
  EXPECT_EQ(rounded_root(above * above, 1), infinite);
  EXPECT_EQ(rounded_root(0x1p400, 1), infinite);
  EXPECT_EQ(rounded_root(0x1p400, 0x1p-190), 0x1p10f);
}

}  // namespace
}  // namespace kann::accuracy
