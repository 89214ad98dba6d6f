// The boxes over ordered points, against the minimum and maximum of the points that each covers.
#include "cuda/exact/box_tree.hpp"

#include <algorithm>
#include <limits>

#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"
#include "geometry/lattice.hpp"

namespace kann {
namespace {

class BoxTree : public test::GpuTest {};

using cuda::GivenPoint, cuda::PlacedPoint;

/// The points as they were given, which are not float32s if Real is double.
std::vector<PlacedPoint> given_points(const std::vector<PlacedPoint>& points, float) { return points; }
std::vector<GivenPoint> given_points(const std::vector<PlacedPoint>& points, double) {
  std::vector<GivenPoint> given;
  for (const auto& p : points) given.push_back({p.x * 1.0000000001, p.y - 1e9, p.z / 3.0, p.index});
  return given;
}

/// The box of points [begin, end).
template <class Real, class Point>
cuda::exact::NodeBox<Real> box_of(const std::vector<Point>& points, std::int64_t begin, std::int64_t end) {
  constexpr Real infinite = std::numeric_limits<Real>::infinity();
  cuda::exact::NodeBox<Real> box{
      {infinite, infinite, infinite}, 0xffffffffu, {-infinite, -infinite, -infinite}, geometry::k_no_last_bit};
  for (std::int64_t i = begin; i < end; ++i) {
    const Real xyz[3] = {points[i].x, points[i].y, points[i].z};
    for (int a = 0; a < 3; ++a) {
      box.lo[a] = std::min(box.lo[a], xyz[a]);
      box.hi[a] = std::max(box.hi[a], xyz[a]);
    }
    if (points[i].index < box.min_index) box.min_index = points[i].index;
    if constexpr (std::is_same_v<Real, float>)
      for (const float x : xyz) box.last_bit = std::min(box.last_bit, geometry::last_bit(x));
  }
  return box;
}

template <class Real>
void expect_boxes_of(const test::CloudKind& kind, std::int64_t n, int d) {
  auto points = test::placed_points(kind.make(n, d, 101), d);
  test::Random random(102);
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1].index, points[random.below(i)].index);
  test::Device device;
  const auto given = given_points(points, Real());
  const auto d_points = device.upload(points);
  const auto d_given = device.upload(given);
  const cuda::exact::BoxTree<Real> tree(device.pool(), d_points.data(), d_given.data(), n);
  const cuda::exact::BoxTreeView<Real>& view = tree.view();
  ASSERT_EQ(view.point_count, n);
  ASSERT_EQ(view.d_points, d_points.data());
  ASSERT_EQ(view.d_given, d_given.data());

  int level = 0;
  std::int64_t first = 0;
  for (std::int64_t covered = 8, nodes = 33; n > 0 && nodes > 32; covered *= 32, ++level) {
    nodes = (n + covered - 1) / covered;
    ASSERT_LT(level, view.levels);
    ASSERT_EQ(view.count[level], nodes);
    ASSERT_EQ(view.first[level], first);
    const auto boxes = device.download(view.d_boxes + first, nodes);
    for (std::int64_t i = 0; i < nodes; ++i) {
      const auto right = box_of<Real>(given, i * covered, std::min(n, (i + 1) * covered));
      for (int a = 0; a < 3; ++a) {
        ASSERT_EQ(boxes[i].lo[a], right.lo[a]) << "level " << level << " node " << i << " axis " << a;
        ASSERT_EQ(boxes[i].hi[a], right.hi[a]) << "level " << level << " node " << i << " axis " << a;
      }
      ASSERT_EQ(boxes[i].min_index, right.min_index) << "level " << level << " node " << i;
      if constexpr (std::is_same_v<Real, float>) {
        ASSERT_EQ(boxes[i].last_bit, right.last_bit) << "level " << level << " node " << i;
      }
    }
    first += nodes;
  }
  ASSERT_EQ(view.levels, level);
}

void expect_boxes(const test::CloudKind& kind, std::int64_t n, int d) {
  ASSERT_NO_FATAL_FAILURE(expect_boxes_of<float>(kind, n, d));
  ASSERT_NO_FATAL_FAILURE(expect_boxes_of<double>(kind, n, d));
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
