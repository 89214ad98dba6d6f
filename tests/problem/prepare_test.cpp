#include "problem/prepare.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"

namespace kann::problem {
namespace {

/// Only then may the rows of an answer be handed over before all have arrived.
TEST(Prepare, RowsAreFinalUnlessPointsAreSkipped) {
  SearchOptions options;
  options.invalid = InvalidPoints::skip;
  const Points valid = test::to_points(test::uniform(20, 3, 1), 3);
  Points invalid = valid;
  std::get<Array<float>>(invalid.coordinates)[4] = std::numeric_limits<float>::quiet_NaN();

  EXPECT_TRUE(prepare(valid, valid, options).has_final_rows());
  EXPECT_TRUE(prepare(valid, {}, options).has_final_rows());
  EXPECT_FALSE(prepare(invalid, valid, options).has_final_rows());
  EXPECT_FALSE(prepare(valid, invalid, options).has_final_rows());
  EXPECT_FALSE(prepare(invalid, {}, options).has_final_rows());
}

}  // namespace
}  // namespace kann::problem
