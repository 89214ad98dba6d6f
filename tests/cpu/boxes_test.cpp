// Every box encloses its points, or the boxes below it, and knows the smallest id among them.
#include "cpu/nearest/boxes.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"

namespace kann::cpu {
namespace {

constexpr float k_infinity = std::numeric_limits<float>::infinity();

/// The box of points [begin, end), point by point.
template <int D>
void expect_box_of(const BoxLevel<D>& level, std::int64_t box, const Placed<D>& points, std::int64_t begin,
                   std::int64_t end) {
  std::uint32_t first_id = std::numeric_limits<std::uint32_t>::max();
  for (std::int64_t i = begin; i < end; ++i) first_id = std::min(first_id, points.ids[i]);
  ASSERT_EQ(level.first_id[box], static_cast<std::int32_t>(first_id));
  for (int a = 0; a < D; ++a) {
    const auto [lo, hi] = std::minmax_element(points.axes[a].begin() + begin, points.axes[a].begin() + end);
    ASSERT_EQ(level.lo[a][box], *lo);
    ASSERT_EQ(level.hi[a][box], *hi);
  }
}

template <int D>
void expect_tree(const test::CloudKind& kind, std::int64_t n, int threads) {
  SCOPED_TRACE(kind.name + " n=" + std::to_string(n));
  const auto c = kind.make(n, D, 61);
  Placed<D> points;
  points.resize(n);
  for (std::int64_t i = 0; i < n; ++i) {
    points.ids[i] = static_cast<std::uint32_t>(i * 7919 % std::max<std::int64_t>(n, 1));
    for (int a = 0; a < D; ++a) points.axes[a][i] = c[i * D + a];
  }
  const auto levels = build_boxes(points.view(), threads);
  std::int64_t points_per_box = k_group;
  for (const BoxLevel<D>& level : levels) {
    ASSERT_EQ(level.count, (n + points_per_box - 1) / points_per_box);
    for (std::int64_t box = 0; box < level.count; ++box)
      ASSERT_NO_FATAL_FAILURE(
          expect_box_of(level, box, points, box * points_per_box, std::min(n, (box + 1) * points_per_box)));
    // Whole groups, the last of which is filled with empty boxes
    const auto size = static_cast<std::int64_t>(level.first_id.size());
    ASSERT_EQ(size % k_group, 0);
    ASSERT_GE(size, std::max(level.count, k_group));
    for (std::int64_t box = level.count; box < size; ++box)
      for (int a = 0; a < D; ++a) {
        ASSERT_EQ(level.lo[a][box], k_infinity);
        ASSERT_EQ(level.hi[a][box], -k_infinity);
      }
    points_per_box *= k_group;
  }
  ASSERT_LE(levels.back().count, k_group);

  // The same boxes around float64s
  PlacedDoubles<D> given;
  given.resize(n);
  for (int a = 0; a < D; ++a) std::copy_n(points.axes[a].begin(), n, given.axes[a].begin());
  const auto wide_levels = build_boxes(given.view(points), threads);
  ASSERT_EQ(wide_levels.size(), levels.size());
  for (std::size_t level = 0; level < levels.size(); ++level) {
    ASSERT_EQ(wide_levels[level].first_id, levels[level].first_id);
    for (int a = 0; a < D; ++a) {
      ASSERT_TRUE(std::ranges::equal(wide_levels[level].lo[a], levels[level].lo[a]));
      ASSERT_TRUE(std::ranges::equal(wide_levels[level].hi[a], levels[level].hi[a]));
    }
  }
}

TEST(Boxes, EncloseTheirPoints) {
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 5000})
    for (const auto& kind : n > 300 ? test::tied_clouds() : test::all_clouds())
      for (const int threads : {1, 3}) {
        ASSERT_NO_FATAL_FAILURE(expect_tree<2>(kind, n, threads));
        ASSERT_NO_FATAL_FAILURE(expect_tree<3>(kind, n, threads));
      }
}

}  // namespace
}  // namespace kann::cpu
