#include "cli/terminal/time_left.hpp"

#include <gtest/gtest.h>

namespace kann::cli {
namespace {

TEST(RateEstimate, IsThatOfTheWorkSinceTheFirst) {
  RateEstimate rate;
  rate.add(100, 5);  // whatever it took to get here
  rate.add(104, 25);
  EXPECT_DOUBLE_EQ(rate.per_second(), 5);
  EXPECT_DOUBLE_EQ(rate.seconds_left(125), 20);
  EXPECT_EQ(rate.seconds_left(25), 0);
  EXPECT_EQ(rate.seconds_left(0), 0);  // the total is not known
}

TEST(RateEstimate, IsNotSaidTooEarly) {
  RateEstimate rate;
  EXPECT_EQ(rate.per_second(), 0);
  EXPECT_EQ(rate.seconds_left(10), 0);
  rate.add(0, 0);
  rate.add(1.9, 5);
  EXPECT_EQ(rate.per_second(), 0);
  EXPECT_EQ(rate.seconds_left(10), 0);
  rate.add(2, 5);
  EXPECT_DOUBLE_EQ(rate.per_second(), 2.5);
}

/// A tree that takes 30 s to build is no part of the rate at which queries are judged.
TEST(RateEstimate, IsNotRaisedByWhatComesBeforeTheFirstWork) {
  RateEstimate rate;
  for (int i = 0; i <= 30; ++i) rate.add(30 + 0.1 * i, 0.001 * i);
  EXPECT_NEAR(rate.seconds_left(1), (1 - 0.03) / 0.01, 1e-6);
}

/// Slow first work, as checks of rows before they are judged, is forgotten after at most 20 s.
TEST(RateEstimate, FollowsTheLastSeconds) {
  RateEstimate rate;
  double seconds = 0, done = 0;
  for (; seconds < 60; seconds += 0.5) rate.add(seconds, done += 0.5);  // 1 per second
  EXPECT_NEAR(rate.per_second(), 1, 1e-9);
  for (; seconds < 80; seconds += 0.5) rate.add(seconds, done += 50);  // 100 per second
  EXPECT_NEAR(rate.per_second(), 100, 1e-6);
}

/// A step that takes longer than that has a rate, too.
TEST(RateEstimate, TakesRareReports) {
  RateEstimate rate;
  rate.add(0, 0);
  rate.add(100, 0.25);
  rate.add(200, 0.5);
  EXPECT_DOUBLE_EQ(rate.seconds_left(1), 200);
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
