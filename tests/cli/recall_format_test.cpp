// A recall below the minimum never reads as the minimum or above.
#include "cli/recall_format.hpp"

#include <cmath>
#include <cstdlib>

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

TEST(RecallFormat, HasFourDecimalsUnlessTheyRoundToTheMinimum) {
  EXPECT_EQ(format_recall_below(0.998418774966711, 0.999), "0.9984");
  EXPECT_EQ(format_recall_below(0, 0.5), "0.0000");
  EXPECT_EQ(format_recall_below(0.99896, 0.999), "0.99896");
  EXPECT_EQ(format_recall_below(0.99999996, 1), "0.99999996");
  EXPECT_EQ(format_recall_below(0.95, 0.95004), "0.9500");
}

TEST(RecallFormat, ReadsAsBelowTheMinimum) {
  for (const double minimum : {1.0, 0.999, 0.5, 0.1 + 0.2, 1e-12, 1e-300})
    EXPECT_LT(std::strtod(format_recall_below(std::nextafter(minimum, 0), minimum).c_str(), nullptr), minimum)
        << minimum;
}

}  // namespace
}  // namespace kann::cli
