#include "geometry/window.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace kann::geometry {
namespace {

TEST(Window, HasTwiceTheHalfOrAllPositionsAndTheRankInside) {
  for (std::int64_t n = 0; n <= 20; ++n)
    for (std::int64_t half = 1; half <= 12; ++half)
      for (std::int64_t rank = 0; rank <= n; ++rank) {
        const Window w = window_around(rank, half, n);
        ASSERT_GE(w.begin, 0);
        ASSERT_LE(w.end, n);
        ASSERT_EQ(w.end - w.begin, std::min(n, 2 * half));
        if (rank >= half && rank + half <= n) {
          ASSERT_EQ(w.begin, rank - half);
        }
        ASSERT_LE(w.begin, rank);
        ASSERT_GE(w.end, std::min(rank, n));
      }
}

TEST(Window, EndsInsideTheOrder) {
  EXPECT_EQ(window_around(5, 2, 10).begin, 3);
  EXPECT_EQ(window_around(0, 2, 10).begin, 0);
  EXPECT_EQ(window_around(10, 2, 10).begin, 6);
}

TEST(Window, OfTheLargestHalfIsTheWholeOrder) {
  EXPECT_EQ(window_around(7, std::numeric_limits<std::int64_t>::max(), 10).begin, 0);
  EXPECT_EQ(window_around(7, std::numeric_limits<std::int64_t>::max(), 10).end, 10);
}

}  // namespace
}  // namespace kann::geometry
