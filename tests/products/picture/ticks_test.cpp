// Ticks are three to six round numbers, and their texts are these numbers.
#include "products/picture/ticks.hpp"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

#include "clouds.hpp"

namespace kann::picture {
namespace {

std::vector<std::string> texts(double low, double high) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks_of(low, high)) out.push_back(tick.text);
  return out;
}

using Texts = std::vector<std::string>;

TEST(Ticks, AreAsPeopleWriteThem) {
  EXPECT_EQ(texts(0.13, 0.87), (Texts{"0.2", "0.4", "0.6", "0.8"}));
  EXPECT_EQ(texts(0, 100), (Texts{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(texts(-1, 1), (Texts{"-1", "-0.5", "0", "0.5", "1"}));
  EXPECT_EQ(texts(700, 2400), (Texts{"1000", "1500", "2000"}));
  EXPECT_EQ(texts(0, 1e-7), (Texts{"0", "2e-8", "4e-8", "6e-8", "8e-8", "1e-7"}));
  EXPECT_EQ(texts(0, 3e38), (Texts{"0", "1e38", "2e38", "3e38"}));
}

/// Whether `value` is a multiple of a step, but for rounding.
bool is_multiple(double value, double step) {
  return std::abs(value / step - std::nearbyint(value / step)) < 1e-6 * std::max(1.0, std::abs(value / step));
}

TEST(Ticks, AreRoundAndInTheRange) {
  test::Random r(1);
  const std::set<int> leading{10, 20, 25, 50};
  for (int i = 0; i < 20000; ++i) {
    const double width = std::pow(10, 80 * r.uniform() - 42),
                 low = (2 * r.uniform() - 1) * width * (i % 3 == 0 ? 30 : 1);
    const double high = low + width;
    const std::vector<Tick> ticks = ticks_of(low, high);
    ASSERT_GE(ticks.size(), 3u) << low << " " << high;
    ASSERT_LE(ticks.size(), 6u) << low << " " << high;
    const double step = ticks[1].value - ticks[0].value;
    const double digits = step / std::pow(10, std::floor(std::log10(step) + 1e-6) - 1);
    EXPECT_TRUE(leading.contains(static_cast<int>(std::lround(digits)))) << step;
    EXPECT_NEAR(digits, std::round(digits), 1e-6);
    for (std::size_t t = 0; t < ticks.size(); ++t) {
      EXPECT_GE(ticks[t].value, low);
      EXPECT_LE(ticks[t].value, high);
      EXPECT_TRUE(is_multiple(ticks[t].value, step)) << ticks[t].value << " " << step;
      EXPECT_NEAR(std::strtod(ticks[t].text.c_str(), nullptr), ticks[t].value, 1e-6 * step) << ticks[t].text;
    }
  }
}

TEST(Ticks, OfRangesThatFloat64BarelyHolds) {
  const double one = 1;
  for (const Tick& tick : ticks_of(one, std::nextafter(one, 2))) EXPECT_TRUE(tick.value >= 1 && tick.value < 1.1);
  EXPECT_GE(ticks_of(-1.7e308, -1.6e308).size(), 3u);
  for (const Tick& tick : ticks_of(5e-324, 5e-323)) EXPECT_TRUE(tick.value >= 5e-324 && tick.value <= 5e-323);
}

}  // namespace
}  // namespace kann::picture
