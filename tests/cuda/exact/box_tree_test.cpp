// The boxes over ordered points, against the minimum and maximum of the points that each covers.
#include "cuda/exact/box_tree.hpp"

#include <algorithm>
#include <limits>

#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"

namespace kann {
namespace {

class BoxTree : public test::GpuTest {};

/// The box of points [begin, end).
cuda::exact::NodeBox box_of(const std::vector<cuda::PlacedPoint>& points, std::int64_t begin, std::int64_t end) {
  constexpr float infinite = std::numeric_limits<float>::infinity();
  cuda::exact::NodeBox box{{infinite, infinite, infinite}, 0xffffffffu, {-infinite, -infinite, -infinite}, 0};
  for (std::int64_t i = begin; i < end; ++i) {
    const float xyz[3] = {points[i].x, points[i].y, points[i].z};
    for (int a = 0; a < 3; ++a) {
      box.lo[a] = std::min(box.lo[a], xyz[a]);
      box.hi[a] = std::max(box.hi[a], xyz[a]);
    }
    box.min_index = std::min(box.min_index, points[i].index);
  }
  return box;
}

void expect_boxes(const test::CloudKind& kind, std::int64_t n, int d) {
  auto points = test::placed_points(kind.make(n, d, 101), d);
  test::Random random(102);
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1].index, points[random.below(i)].index);
  test::Device device;
  const auto d_points = device.upload(points);
  const cuda::exact::BoxTree tree(device.pool(), d_points.data(), n);
  const cuda::exact::BoxTreeView& view = tree.view();
  ASSERT_EQ(view.point_count, n);
  ASSERT_EQ(view.d_points, d_points.data());

  int level = 0;
  std::int64_t first = 0;
  for (std::int64_t covered = 8, nodes = 33; n > 0 && nodes > 32; covered *= 32, ++level) {
    nodes = (n + covered - 1) / covered;
    ASSERT_LT(level, view.levels);
    ASSERT_EQ(view.count[level], nodes);
    ASSERT_EQ(view.first[level], first);
    const auto boxes = test::download(device.stream(), view.d_boxes + first, nodes);
    for (std::int64_t i = 0; i < nodes; ++i) {
      const auto right = box_of(points, i * covered, std::min(n, (i + 1) * covered));
      for (int a = 0; a < 3; ++a) {
        ASSERT_EQ(boxes[i].lo[a], right.lo[a]) << "level " << level << " node " << i << " axis " << a;
        ASSERT_EQ(boxes[i].hi[a], right.hi[a]) << "level " << level << " node " << i << " axis " << a;
      }
      ASSERT_EQ(boxes[i].min_index, right.min_index) << "level " << level << " node " << i;
    }
    first += nodes;
  }
  ASSERT_EQ(view.levels, level);
}

TEST_F(BoxTree, HasTheBoxAndTheLowestIndexOfEveryNode) {
  for (const int d : {2, 3})
    for (const auto& kind : test::all_clouds()) ASSERT_NO_FATAL_FAILURE(expect_boxes(kind, 300, d)) << kind.name;
}

TEST_F(BoxTree, HasALevelForEvery32NodesOfTheLevelBelow) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 255, 256, 257, 263, 265, 8191, 8192, 8193})
    ASSERT_NO_FATAL_FAILURE(expect_boxes({"uniform", test::uniform}, n, 3)) << n;
}

}  // namespace
}  // namespace kann
