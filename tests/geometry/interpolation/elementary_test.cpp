// The logarithm and the exponential against those of the C library in 80 bits: within 1 ulp.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"
#include "geometry/interpolation/elementary-inl.hpp"

namespace kann::test {
namespace {

double ulps(double got, long double want) {
  const double near = static_cast<double>(want);
  const double ulp = std::nextafter(std::abs(near), std::numeric_limits<double>::infinity()) - std::abs(near);
  return static_cast<double>(std::abs(got - want) / ulp);
}

TEST(Elementary, LogarithmIsWithinOneUlp) {
  Random random(5);
  double worst = 0;
  const auto judge = [&](double x) {
    worst = std::max(worst, ulps(interpolation::scalar::log_of(x), std::log(static_cast<long double>(x))));
  };
  for (int i = 0; i < 1000000; ++i) {
    judge(std::ldexp(1 + random.uniform(), static_cast<int>(random.below(2046)) - 1022));
    judge(0.5 + random.uniform());
    judge(1 + (random.uniform() - 0.5) * std::ldexp(1.0, -static_cast<int>(random.below(52))));
  }
  for (int e = -1022; e < 1024; ++e) judge(std::ldexp(1.0, e));
  for (const double x : {std::sqrt(0.5), std::sqrt(2.0)})
    for (const double to : {0.0, 3.0}) judge(std::nextafter(x, to));
  judge(std::numeric_limits<double>::max());
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(interpolation::scalar::log_of(1), 0);
  RecordProperty("worst_ulps", std::to_string(worst));
}

TEST(Elementary, ExponentialIsWithinOneUlp) {
  Random random(6);
  double worst = 0;
  const auto judge = [&](double x) {
    worst = std::max(worst, ulps(interpolation::scalar::exp_of_negative(x), std::exp(-static_cast<long double>(x))));
  };
  for (int i = 0; i < 1000000; ++i) {
    judge(708 * random.uniform());
    judge(random.uniform());
    judge(std::ldexp(random.uniform(), -static_cast<int>(random.below(1074))));
  }
  for (int k = 0; k < 1021; ++k) judge((k + 0.5) * 0.6931471805599453);
  judge(708);
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(interpolation::scalar::exp_of_negative(0), 1);
  for (const double x : {std::nextafter(708.0, 709.0), 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(interpolation::scalar::exp_of_negative(x), 0) << x;
  EXPECT_TRUE(std::isnan(interpolation::scalar::exp_of_negative(std::numeric_limits<double>::quiet_NaN())));
  RecordProperty("worst_ulps", std::to_string(worst));
}

}  // namespace
}  // namespace kann::test
