#include "cli/time_left.hpp"

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

}  // namespace
}  // namespace kann::cli
