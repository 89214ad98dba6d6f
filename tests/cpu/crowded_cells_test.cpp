// Points of one cell, put in fine order.
#include "cpu/order/crowded_cells.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "float64_clouds.hpp"
#include "geometry/float_bits.hpp"

namespace kann::cpu {
namespace {

template <int D>
OrderedCloud<D> cloud_of(const test::Coordinates& c, const std::vector<std::uint64_t>& codes) {
  OrderedCloud<D> cloud;
  const auto n = static_cast<std::int64_t>(codes.size());
  cloud.points.resize(n);
  cloud.codes.assign(codes.begin(), codes.end());
  for (std::int64_t i = 0; i < n; ++i) {
    cloud.points.ids[i] = static_cast<std::uint32_t>(i);
    for (int a = 0; a < D; ++a) cloud.points.axes[a][i] = c[i * D + a];
  }
  return cloud;
}

/// Points on both sides of every node of a cell's tree, of which `code` tells the middle, are on the right one; and
/// leaves are one bucket, or identical points.
template <int D>
void expect_tree(const OrderedCloud<D>& cloud, const FineOrder& fine, std::int64_t begin, std::int64_t end) {
  const auto& axes = cloud.points.axes;
  if (begin / 16 == (end - 1) / 16) return;
  const std::int64_t middle = fine_middle(begin, end);
  ASSERT_EQ(middle % 16, 0);
  ASSERT_GT(middle, begin);
  ASSERT_LT(middle, end);
  const FineSplit& node = fine.splits[middle / 16];
  if (node.axis < 0) {
    for (std::int64_t i = begin; i < end; ++i)
      for (int a = 0; a < D; ++a) ASSERT_EQ(axes[a][i], axes[a][begin]);
    ASSERT_TRUE(std::is_sorted(cloud.points.ids.begin() + begin, cloud.points.ids.begin() + end));
    return;
  }
  for (std::int64_t i = begin; i < end; ++i) {
    ASSERT_TRUE(i < middle ? axes[node.axis][i] <= node.value : axes[node.axis][i] >= node.value);
  }
  ASSERT_NO_FATAL_FAILURE(expect_tree(cloud, fine, begin, middle));
  ASSERT_NO_FATAL_FAILURE(expect_tree(cloud, fine, middle, end));
}

/// Those parts of the cloud that `crowded` names are a cell each.
template <int D>
void expect_ordered(const test::CloudKind& kind, std::int64_t n, std::int64_t parts,
                    const std::set<std::int64_t>& crowded, int threads) {
  SCOPED_TRACE(kind.name);
  const auto c = kind.make(n, D, 3);
  std::vector<std::uint64_t> codes(n);
  std::int64_t in_large = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    codes[i] = i * parts / n * 10000 + (crowded.contains(i * parts / n) ? 0 : i);
  }
  for (const std::uint64_t code : codes) {
    const auto same = std::ranges::count(codes, code);
    in_large += same > std::max<std::int64_t>(32, n / 64);
  }
  auto cloud = cloud_of<D>(c, codes);
  const FineOrder fine = order_crowded_cells(cloud, nullptr, threads);
  ASSERT_EQ(fine.is_of_all, in_large > n / 4);
  std::set<std::uint32_t> ids;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto id = cloud.points.ids[i];
    ids.insert(id);
    if (!fine.is_of_all) {
      ASSERT_EQ(cloud.codes[i], codes[id]);
    }
    for (int a = 0; a < D; ++a) ASSERT_EQ(cloud.points.axes[a][i], c[static_cast<std::int64_t>(id) * D + a]);
    if (!fine.is_of_all && std::ranges::count(codes, codes[i]) <= 32) {
      ASSERT_EQ(id, i);
    }
  }
  ASSERT_EQ(static_cast<std::int64_t>(ids.size()), n);
  for (const CrowdedCell& cell : fine.cells) ASSERT_NO_FATAL_FAILURE(expect_tree(cloud, fine, cell.begin, cell.end));
}

TEST(CrowdedCells, AreThoseOfMoreThan32PointsWhereverTheyBegin) {
  test::Random random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> codes;
    std::vector<std::pair<std::int64_t, std::int64_t>> want;
    for (std::uint64_t code = 0; code < 12; ++code) {
      const std::uint64_t kind = random.below(4);
      const std::uint64_t count = kind == 0 ? 31 + random.below(4) : kind == 1 ? random.below(200) : random.below(20);
      const auto begin = static_cast<std::int64_t>(codes.size());
      codes.insert(codes.end(), count, code);
      if (count > 32) want.emplace_back(begin, begin + static_cast<std::int64_t>(count));
    }
    const auto cloud = cloud_of<2>(test::Coordinates(2 * codes.size()), codes);
    for (const int threads : {1, 2, 5}) {
      std::vector<std::pair<std::int64_t, std::int64_t>> got;
      for (const CrowdedCell& cell : find_crowded_cells(cloud, threads)) got.emplace_back(cell.begin, cell.end);
      ASSERT_EQ(got, want) << threads;
    }
  }
}

TEST(CrowdedCells, AreHalvedByKDTrees) {
  for (const std::int64_t n : {0, 1, 2, 160, 161, 165, 166, 193, 600, 3001, 3999})
    for (const auto& kind : test::all_clouds())
      for (const int threads : {1, 3}) {
        ASSERT_NO_FATAL_FAILURE(expect_ordered<2>(kind, n, 5, {3}, threads));
        ASSERT_NO_FATAL_FAILURE(expect_ordered<3>(kind, n, 99, {7, 8, 9, 98}, threads));
      }
}

TEST(CrowdedCells, AreOneTreeOfAllPointsWhereAFewHaveAQuarter) {
  for (const std::int64_t n : {33, 64, 65, 165, 600, 3001})
    for (const auto& kind : test::all_clouds())
      for (const int threads : {1, 3}) {
        ASSERT_NO_FATAL_FAILURE(expect_ordered<2>(kind, n, 5, {0, 3}, threads));
        ASSERT_NO_FATAL_FAILURE(expect_ordered<3>(kind, n, 20, {0, 1, 5, 7, 11, 12, 19}, threads));
      }
}

TEST(CrowdedCells, BitsAreInTheOrderOfTheFloats) {
  const float rising[] = {-INFINITY, -3e38f, -1.0f, -1e-40f, -0.0f, 0.0f, 1e-45f, 1e-38f, 0.5f, 1.0f, 3e38f, INFINITY};
  for (std::size_t i = 1; i < std::size(rising); ++i) EXPECT_LT(ordered_bits(rising[i - 1]), ordered_bits(rising[i]));
}

/// Whatever the noise on one axis, and in whatever part of it, buckets are as wide as those of points without it.
TEST(CrowdedCells, BucketsAreSmallWhereOneAxisIsNoise) {
  constexpr std::int64_t n = 16000;
  for (const int noise_axis : {0, 1, 2})
    for (const int threads : {1, 3}) {
      test::Random random(6);
      const auto c = test::make_cloud(n, 3, [&](auto, int a) {
        return a == noise_axis ? std::ldexp(random.uniform() - 0.5, -50 - static_cast<int>(random.below(40)))
                               : 1e-7 * random.uniform();
      });
      auto cloud = cloud_of<3>(c, std::vector<std::uint64_t>(n, 9));
      order_crowded_cells(cloud, nullptr, threads);
      double area = 0;
      for (std::int64_t i = 0; i < n; i += 16) {
        double sides = 1;
        for (int a = 0; a < 3; ++a) {
          const auto [lo, hi] = std::minmax_element(&cloud.points.axes[a][i], &cloud.points.axes[a][i] + 16);
          if (a != noise_axis) sides *= (*hi - *lo) / 1e-7;
        }
        area += sides;
      }
      EXPECT_LE(area, 1.0);  // of a square of side 1, which they cover once at most
    }
}

/// Where a point has many copies among others, a search wants those with the smallest indices.
TEST(CrowdedCells, CopiesOfAPointAreInTheOrderOfTheirIndices) {
  constexpr std::int64_t n = 5000;
  test::Random random(10);
  bool is_copy = false;
  const auto c = test::make_cloud(n, 3, [&](auto, int a) {
    if (a == 0) is_copy = random.below(2) == 0;
    return is_copy ? 0.5 : random.uniform();
  });
  auto cloud = cloud_of<3>(c, std::vector<std::uint64_t>(n, 9));
  order_crowded_cells(cloud, nullptr, 2);
  const auto is_one = [&](std::int64_t i) {
    const auto& axes = cloud.points.axes;
    return axes[0][i] == 0.5f && axes[1][i] == 0.5f && axes[2][i] == 0.5f;
  };
  std::int64_t before = 0;  // buckets of copies alone
  std::uint32_t largest = 0;
  for (std::int64_t bucket = 0; bucket < n / 16; ++bucket) {
    bool all = true;
    for (std::int64_t i = 16 * bucket; i < 16 * (bucket + 1); ++i) all = all && is_one(i);
    if (!all) continue;
    const auto ids = cloud.points.ids.begin() + 16 * bucket;
    ASSERT_TRUE(before == 0 || *std::min_element(ids, ids + 16) > largest);
    largest = *std::max_element(ids, ids + 16);
    ++before;
  }
  EXPECT_GT(before, 100);
}

/// Float64 points of one cell: all of them remain, and those that are near each other share a bucket.
TEST(CrowdedCells, Float64PointsThatAreNearShareABucket) {
  for (const auto make : {test::two_sites, test::sphere_clusters, test::same_float32, test::map_tile})
    for (const int threads : {1, 3}) {
      constexpr std::int64_t n = 4096;
      auto points = make(n, 3, 8);
      for (std::int64_t i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) points[i * 3 + a] = points[(i - i % 2) * 3 + a] + 1e-9 * static_cast<double>(i % 2);
      const test::Coordinates rounded(points.begin(), points.end());
      auto cloud = cloud_of<3>(rounded, std::vector<std::uint64_t>(n, 9));
      const auto fine = order_crowded_cells(cloud, points.data(), threads);
      ASSERT_EQ(fine.cells.size(), 1u);
      std::vector<std::int64_t> bucket_of(n, -1);
      for (std::int64_t i = 0; i < n; ++i) {
        const auto id = cloud.points.ids[i];
        ASSERT_EQ(bucket_of[id], -1);
        bucket_of[id] = i / 16;
        for (int a = 0; a < 3; ++a) ASSERT_EQ(cloud.points.axes[a][i], rounded[static_cast<std::int64_t>(id) * 3 + a]);
      }
      std::int64_t pairs = 0;
      for (std::int64_t i = 0; i < n; i += 2) pairs += bucket_of[i] == bucket_of[i + 1];
      EXPECT_GT(pairs, n * 2 / 5);  // a point and its neighbour 10⁻⁹ away, of n / 2
    }
}

TEST(CrowdedCells, PlacesOfFloat64PointsAreThoseAmongTheCrowd) {
  for (const auto make : {test::two_sites, test::sphere_clusters, test::same_float32, test::squares_that_underflow}) {
    const auto points = make(500, 3, 9);
    auto data = cloud_of<3>(test::Coordinates(points.begin(), points.end()), std::vector<std::uint64_t>(500, 9));
    const auto fine = order_crowded_cells(data, points.data(), 2);
    Array<std::uint32_t> ranks(500, 500u);
    rank_within_crowded_cells(data, points.data(), data, fine, ranks, 2);
    std::int64_t near = 0;
    for (std::uint32_t i = 0; i < 500; ++i) near += std::abs(static_cast<int>(ranks[i]) - static_cast<int>(i)) <= 16;
    EXPECT_GE(near, 490);  // a point on the plane of a node may be in either half
  }
}

/// Whether the others are fewer or more than the crowd.
TEST(CrowdedCells, PlacesAreThoseAmongTheCrowd) {
  for (const std::int64_t crowd : {33, 48, 100, 500})
    for (const std::int64_t n : {crowd, crowd + 7, 5 * crowd}) {
      const auto c = test::uniform(n, 3, 7);
      std::vector<std::uint64_t> codes(n, 9);
      for (std::int64_t i = crowd; i < n; ++i) codes[i] = 9 + static_cast<std::uint64_t>(i);
      auto data = cloud_of<3>(c, codes);
      const FineOrder fine = order_crowded_cells(data, nullptr, 2);
      ASSERT_EQ(fine.is_of_all, n < 4 * crowd);
      auto queries = data;
      Array<std::uint32_t> ranks(n, static_cast<std::uint32_t>(crowd));
      rank_within_crowded_cells(queries, nullptr, data, fine, ranks, 2);
      for (std::uint32_t i = 0; i < (fine.is_of_all ? n : crowd); ++i) ASSERT_EQ(ranks[i] / 16, i / 16) << n;
      if (fine.is_of_all) continue;
      // A query of another cell keeps its rank
      std::fill(queries.codes.begin(), queries.codes.end(), 10);
      std::fill(ranks.begin(), ranks.end(), static_cast<std::uint32_t>(crowd));
      rank_within_crowded_cells(queries, nullptr, data, fine, ranks, 2);
      for (const auto rank : ranks) ASSERT_EQ(rank, crowd);
    }
}

}  // namespace
}  // namespace kann::cpu
