// Exact sums against integers of 128 bits.
#include "products/statistics/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

#include "clouds.hpp"

namespace kann::test {
namespace {

__extension__ using Integer = __int128;

std::vector<std::int64_t> mantissas_of(const std::vector<float>& values) {
  std::vector<std::int64_t> mantissas(statistics::k_exponents);
  for (const float value : values) statistics::add_exactly(value, mantissas);
  return mantissas;
}

double sum_of(const std::vector<float>& values) { return statistics::rounded_sum(mantissas_of(values)); }

TEST(ExactSum, IsThatOfIntegers) {
  Random r(11);
  for (const int octaves : {0, 1, 8, 20, 30})
    for (const std::size_t count : {0, 1, 2, 100, 100'000}) {
      std::vector<float> values;
      Integer want = 0;  // in units of 2⁻⁶⁰
      for (std::size_t i = 0; i < count; ++i) {
        const double magnitude = std::ldexp(1.0, static_cast<int>(r.below(2 * octaves + 1)) - octaves);
        values.push_back(static_cast<float>(magnitude * (1 + r.uniform())));
        want += static_cast<Integer>(std::ldexp(static_cast<double>(values.back()), 60));
      }
      const double sum = std::ldexp(static_cast<double>(want), -60);
      EXPECT_NEAR(sum_of(values), sum, 4e-16 * sum);
      const std::vector<std::int64_t> mantissas = mantissas_of(values);
      std::ranges::sort(values);
      EXPECT_EQ(mantissas_of(values), mantissas);
    }
}

TEST(ExactSum, LosesNoSmallNumber) {
  std::vector<float> values(1 << 20, 1);
  values.insert(values.begin(), 0x1p60f);  // 1 is 1/256 of what the last bit of its sum stands for
  EXPECT_EQ(sum_of(values), 0x1p60 + 0x1p20);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0), 0x1p60);
}

TEST(ExactSum, OfTheLargestAndTheSmallest) {
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({0, 0}), 0);
  EXPECT_EQ(sum_of({Limits::denorm_min()}), 0x1p-149);
  EXPECT_EQ(sum_of({Limits::denorm_min(), Limits::min()}), 0x1p-149 + 0x1p-126);
  EXPECT_EQ(sum_of({Limits::max(), Limits::max(), Limits::max()}), 3 * static_cast<double>(Limits::max()));
  EXPECT_EQ(sum_of({1, Limits::infinity()}), std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> most(statistics::k_exponents);  // as many of the largest mantissas as may be
  most[127] = ((std::int64_t{1} << 24) - 1) * statistics::k_most_in_sum;
  EXPECT_GT(most[127], 0);
  EXPECT_EQ(statistics::rounded_sum(most), 0x1p39 * (2 - 0x1p-23));
}

}  // namespace
}  // namespace kann::test
