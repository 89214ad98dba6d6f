#include "geometry/grid.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace kann::geometry {
namespace {

TEST(Grid, TruncatesWithinTheBox) {
  EXPECT_EQ(cell_of<3>(0.0f, 0.0f, 0x1p20f), 0u);
  EXPECT_EQ(cell_of<3>(0.5f, 0.0f, 0x1p20f), 524288u);
  EXPECT_EQ(cell_of<3>(-1.0f, -2.0f, 0x1p19f), 524288u);
  EXPECT_EQ(cell_of<2>(0.5f, 0.0f, 0x1p30f), 1u << 29);
}

TEST(Grid, ClampsToTheOutermostCells) {
  for (const float far : {1.0f, 2.0f, 1e30f, std::numeric_limits<float>::max()}) {
    EXPECT_EQ(cell_of<3>(far, 0.0f, 0x1p20f), (1u << 20) - 1);
    EXPECT_LT(cell_of<2>(far, 0.0f, 0x1p30f), 1u << 30);
    EXPECT_EQ(cell_of<3>(-far, 0.0f, 0x1p20f), 0u);
  }
}

TEST(Grid, OneCellWhenAllPointsAreIdentical) { EXPECT_EQ(cell_of<3>(7.0f, 7.0f, 0.0f), 0u); }

TEST(Grid, NeverDecreases) {
  std::uint32_t before = 0;
  for (float x = 0; x < 1.1f; x = std::nextafter(x + 1e-5f, 2.0f)) {
    const std::uint32_t cell = cell_of<3>(x, 0.01f, 0x1p20f);
    ASSERT_GE(cell, before);
    before = cell;
  }
}

}  // namespace
}  // namespace kann::geometry
