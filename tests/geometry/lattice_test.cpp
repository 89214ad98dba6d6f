// The last bit of a float32, against division.
#include "geometry/lattice.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "clouds.hpp"

namespace kann {
namespace {

using geometry::last_bit;

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
}  // namespace kann
