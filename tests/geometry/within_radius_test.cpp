#include "geometry/within_radius.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"

namespace kann::geometry {
namespace {

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

}  // namespace
}  // namespace kann::geometry
