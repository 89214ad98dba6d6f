#include "problem/prepare.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"

namespace kann::problem {
namespace {

/// Rows of an answer that are moved or whose ids are changed later are not handed over before.
TEST(Prepare, HandsRowsOverEarlyUnlessPointsAreSkipped) {
  SearchOptions options;
  options.invalid = InvalidPoints::skip;
  options.on_rows = [](const Neighbors&, std::int64_t, std::int64_t) {};
  const Points valid = test::to_points(test::uniform(20, 3, 1), 3);
  Points invalid = valid;
  std::get<Array<float>>(invalid.coordinates)[4] = std::numeric_limits<float>::quiet_NaN();

  EXPECT_TRUE(prepare(valid, valid, options).problem.on_rows);
  EXPECT_TRUE(prepare(valid, {}, options).problem.on_rows);
  EXPECT_FALSE(prepare(invalid, valid, options).problem.on_rows);
  EXPECT_FALSE(prepare(valid, invalid, options).problem.on_rows);
  EXPECT_FALSE(prepare(invalid, {}, options).problem.on_rows);
}

}  // namespace
}  // namespace kann::problem
