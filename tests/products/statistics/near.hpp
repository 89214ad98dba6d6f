// Numbers that rounding may change.
#pragma once

#include <cmath>
#include <gtest/gtest.h>

namespace kann::test {

/// Also of what is infinite or no number. @param tolerance relative
inline void expect_near(double got, double want, double tolerance = 1e-12) {
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(got)) << got;
  else if (std::isinf(want))
    EXPECT_EQ(got, want);
  else
    EXPECT_NEAR(got, want, tolerance * std::abs(want));
}

}  // namespace kann::test
