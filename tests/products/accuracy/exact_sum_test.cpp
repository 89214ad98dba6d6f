// ExactSum has the same value in any order, and that of the numbers.
#include "products/accuracy/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "clouds.hpp"

namespace kann::test {
namespace {

TEST(ExactSum, IsTheSameInAnyOrder) {
  std::vector<double> numbers{0, -0., 5e-324, 1.7e308, -1.7e308};
  Random r(1);
  for (int i = 0; i < 1000; ++i)
    numbers.push_back((r.uniform() - .3) * std::ldexp(1, static_cast<int>(r.below(80)) - 40));
  const auto sum_of = [](const std::vector<double>& all, std::size_t blocks) {
    accuracy::ExactSum sum;
    for (std::size_t b = 0; b < blocks; ++b) {
      accuracy::ExactSum part;
      for (std::size_t i = b; i < all.size(); i += blocks) part.add(all[i]);
      sum.add(part);
    }
    return sum.rounded();
  };
  const double want = sum_of(numbers, 1);
  _Float128 wide = 0;
  for (const double x : numbers)
    if (std::abs(x) < 1e300) wide += x;
  EXPECT_NEAR(want, static_cast<double>(wide), 1e-12 * std::abs(want));
  for (const std::size_t blocks : {1, 2, 7, 1005}) {
    std::ranges::sort(numbers);
    EXPECT_EQ(sum_of(numbers, blocks), want);
    std::ranges::reverse(numbers);
    EXPECT_EQ(sum_of(numbers, blocks), want);
  }
  EXPECT_EQ(sum_of({1, HUGE_VAL, 2}, 2), HUGE_VAL);
  EXPECT_TRUE(std::isnan(sum_of({HUGE_VAL, 1, -HUGE_VAL}, 2)));
}

}  // namespace
}  // namespace kann::test
