#include "cli/terminal/time_left.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace kann::cli {
namespace {

TEST(TimeLeft, IsThatOfTheRestAtTheSameRate) {
  EXPECT_DOUBLE_EQ(seconds_left(10, 0.25), 30);
  EXPECT_DOUBLE_EQ(seconds_left(1, 0.01), 99);
  EXPECT_EQ(seconds_left(10, 1), 0);
}

TEST(TimeLeft, IsNotSaidTooEarly) {
  EXPECT_EQ(seconds_left(0.9, 0.5), 0);
  EXPECT_EQ(seconds_left(60, 0.009), 0);
  EXPECT_EQ(seconds_left(60, 0), 0);
  EXPECT_EQ(seconds_left(60, NAN), 0);
}

TEST(TimeLeft, IsInUnitsThatPeopleRead) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(99), "99 s");
  EXPECT_EQ(duration_text(100), "2 min");
  EXPECT_EQ(duration_text(5900), "98 min");
  EXPECT_EQ(duration_text(6000), "2 h");
  EXPECT_EQ(duration_text(86400), "24 h");
}

TEST(MeasuredText, HasThreeDigitsAtMostBelowMinutes) {
  const std::pair<double, const char*> times[] = {
      {0, "0 ms"},           {4.9e-6, "0 ms"},       {5.1e-6, "0.01 ms"},
      {0.64e-3, "0.64 ms"},  {0.9949e-3, "0.99 ms"}, {0.996e-3, "1.0 ms"},
      {6.44e-3, "6.4 ms"},   {9.96e-3, "10 ms"},     {0.128, "128 ms"},
      {0.9994, "999 ms"},    {0.9996, "1.00 s"},     {1.237, "1.24 s"},
      {9.996, "10.0 s"},     {12.44, "12.4 s"},      {99.94, "99.9 s"},
      {99.96, "1 min 40 s"}, {124.2, "2 min 4 s"},   {3599.4, "59 min 59 s"},
      {3599.6, "1 h 0 min"}, {3661, "1 h 1 min"},    {90000, "25 h 0 min"}};
  for (const auto& [seconds, text] : times) EXPECT_EQ(measured_text(seconds), text) << seconds;
}

}  // namespace
}  // namespace kann::cli
