// Orders along the Hilbert curve and in a k-d tree, of data and of the queries that are searched in them, by their
// definitions.
#include "cuda/order/curve_order.hpp"

#include <map>

#include "cuda/search_context.hpp"

namespace kann::test {
namespace {

class CurveOrder : public GpuTest {};

/// The queries of a problem as its data, for the codes of the tests.
problem::Problem of_queries(const problem::Problem& p) {
  problem::Problem queries = p;
  queries.data = p.queries;
  queries.data_count = p.query_count;
  return queries;
}

/// Rows of which each must be there once.
void expect_all_rows(std::vector<std::uint32_t> rows, std::int64_t count) {
  ASSERT_EQ(std::ssize(rows), count);
  std::ranges::sort(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i);
}

/// A k-d tree, read back: node 1 is of all places, and the halves of a node are below and above its value.
struct ReadTree {
  const problem::Problem& p;
  const std::vector<cuda::KdNode>& nodes;
  const std::vector<cuda::PlacedPoint>& placed;
  int levels;
  std::map<std::uint32_t, std::pair<std::int64_t, std::int64_t>> leaves;  // of each row, the places

  static float coordinate(const cuda::PlacedPoint& point, int axis) {
    return axis == 0 ? point.x : axis == 1 ? point.y : point.z;
  }

  void expect_halves(std::int64_t node, int level) {
    const std::int64_t half = node - (std::int64_t{1} << level), begin = half * p.data_count >> level,
                       end = (half + 1) * p.data_count >> level;
    if (level == levels) {
      ASSERT_LE(end - begin, 32);
      for (std::int64_t i = begin; i < end; ++i) leaves[placed[i].index] = {begin, end};
      return;
    }
    const auto [value, axis] = nodes[node];
    float widest = 0;
    for (int a = 0; a < p.dimensions; ++a) {
      const auto [least, largest] =
          std::ranges::minmax(std::span(placed).subspan(begin, end - begin), {},
                              [&](const cuda::PlacedPoint& point) { return coordinate(point, a); });
      widest = std::max(widest, coordinate(largest, a) - coordinate(least, a));
      if (a == axis) {
        const std::int64_t middle = (2 * half + 1) * p.data_count >> (level + 1);
        for (std::int64_t i = begin; i < end; ++i)
          ASSERT_TRUE(i < middle ? coordinate(placed[i], a) <= value : coordinate(placed[i], a) >= value) << node;
      }
    }
    const auto [least, largest] =
        std::ranges::minmax(std::span(placed).subspan(begin, end - begin), {},
                            [&](const cuda::PlacedPoint& point) { return coordinate(point, axis); });
    ASSERT_EQ(coordinate(largest, axis) - coordinate(least, axis), widest) << node;
    ASSERT_NO_FATAL_FAILURE(expect_halves(2 * node, level + 1));
    ASSERT_NO_FATAL_FAILURE(expect_halves(2 * node + 1, level + 1));
  }

  /// The first place of the leaf that a point falls into.
  std::int64_t place_of(const float* point) const {
    std::int64_t node = 1;
    for (int level = 0; level < levels; ++level) node = 2 * node + (point[nodes[node].axis] >= nodes[node].value);
    return (node - (std::int64_t{1} << levels)) * p.data_count >> levels;
  }
};

/// The data of a case must be in order, and its queries in the order that suits them.
cuda::SortDepth expect_orders(const Case& c) {
  UploadedCase on_device(c);
  const problem::Problem& p = on_device.p;
  const int d = p.dimensions;
  const cuda::CurveOrder order(on_device.context, on_device.data_rows(), d, p.data_count);
  const auto placed = on_device.download(order.placed);
  std::vector<std::uint32_t> rows;
  for (const auto& point : placed) rows.push_back(point.index);
  expect_placed(p, rows, placed);
  expect_all_rows(rows, p.data_count);

  const problem::Problem queries = of_queries(p);
  const auto sorted_queries =
      p.self_query() ? std::vector<std::uint32_t>() : on_device.download(cuda::order_queries(on_device.context, order));
  if (order.tree) {
    EXPECT_EQ(order.of_queries, cuda::SortDepth::in_tree);
    const cuda::KdTreeView view = order.tree->view();
    auto nodes = on_device.download(view.d_nodes + 1, (std::int64_t{1} << view.levels) - 1);
    nodes.insert(nodes.begin(), cuda::KdNode());  // there is no node 0
    ReadTree tree{p, nodes, placed, view.levels, {}};
    tree.expect_halves(1, 0);
    EXPECT_EQ(sorted_queries, sorted_by(std::ssize(sorted_queries), [&](std::size_t i) {
                return static_cast<std::uint64_t>(tree.place_of(p.queries + i * d));
              }));
    return order.of_queries;
  }
  const auto keys = on_device.download(order.keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(keys[i] >> order.key_bit, hilbert_place(p, rows[i]) >> (60 - order.curve.bits)) << i;
    EXPECT_TRUE(i == 0 || keys[i - 1] <= keys[i]) << i;
  }
  const int bits = order.of_queries == cuda::SortDepth::coarse_bits    ? 32
                   : order.of_queries == cuda::SortDepth::leading_bits ? 40
                                                                       : 60;
  EXPECT_EQ(sorted_queries, sorted_by(std::ssize(sorted_queries),
                                      [&](std::size_t i) { return hilbert_place(queries, i) >> (60 - bits); }));
  return order.of_queries;
}

TEST_F(CurveOrder, IsThatOfCodesOrOfATree) {
  for (const int d : {2, 3})
    for (const auto& c : cases(4000, 700, d, 93)) {
      SCOPED_TRACE(c.name);
      expect_orders(c);
      if (HasFailure()) return;
    }
}

TEST_F(CurveOrder, OfAwkwardSizes) {
  for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 63, 64, 65, 1023, 1025, 1026, 1030})
    for (const auto& c : cases(n, 65, 3, 94, tied_clouds())) {
      SCOPED_TRACE(c.name);
      expect_orders(c);
      if (HasFailure()) return;
    }
}

TEST_F(CurveOrder, IsAsFineAsThePointsAreCrowded) {
  const auto depth_of = [](const Coordinates& c) {
    return expect_orders({"", to_points(c, 3), to_points(uniform(100, 3, 1), 3)});
  };
  constexpr std::int64_t n = 20'000;
  EXPECT_EQ(depth_of(uniform(n, 3, 95)), cuda::SortDepth::coarse_bits);
  EXPECT_EQ(depth_of(Coordinates(3 * n, 1.5f)), cuda::SortDepth::leading_bits);  // at one place: as fine as can be
  // Half of the points are in one cell of 32, of 40 or of 60 bits, at as many places as there are points
  Random r(96);
  const auto within = [&](double width) {
    return make_cloud(n, 3, [&](std::int64_t i, int) { return i % 2 == 0 ? r.uniform() : 0.3 + width * r.uniform(); });
  };
  EXPECT_EQ(depth_of(within(1e-4)), cuda::SortDepth::all_bits);
  EXPECT_EQ(depth_of(within(1e-6)), cuda::SortDepth::in_tree);
}

}  // namespace
}  // namespace kann::test
