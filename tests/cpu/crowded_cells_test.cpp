// Points of one cell, put in fine order.
#include "cpu/crowded_cells.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "float64_clouds.hpp"
#include "geometry/crowded_cell.hpp"

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

template <int D>
void expect_ordered(const test::CloudKind& kind, std::int64_t n, int threads) {
  SCOPED_TRACE(kind.name);
  const auto c = kind.make(n, D, 3);
  std::vector<std::uint64_t> codes(n);
  for (std::int64_t i = 0; i < n; ++i) codes[i] = i * 3 / n * 10000 + (i * 3 / n == 1 ? i : 0);  // crowd, none, crowd
  auto cloud = cloud_of<D>(c, codes);
  order_crowded_cells(cloud, threads);
  std::set<std::uint32_t> ids;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto id = cloud.points.ids[i];
    ids.insert(id);
    ASSERT_EQ(cloud.codes[i], codes[id]);
    float point[D], before[D];
    for (int a = 0; a < D; ++a) {
      point[a] = cloud.points.axes[a][i];
      before[a] = cloud.points.axes[a][i > 0 ? i - 1 : 0];
      ASSERT_EQ(point[a], c[static_cast<std::int64_t>(id) * D + a]);
    }
    const bool crowded = std::count(codes.begin(), codes.end(), codes[i]) > 32;
    if (crowded && i > 0 && cloud.codes[i - 1] == cloud.codes[i]) {
      ASSERT_FALSE(precedes_within_cell<D>(point, before));
    }
    if (!crowded) {
      ASSERT_EQ(id, i);
    }
  }
  ASSERT_EQ(static_cast<std::int64_t>(ids.size()), n);
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

TEST(CrowdedCells, AreInFineOrder) {
  for (const std::int64_t n : {0, 1, 2, 96, 97, 100, 193, 600})
    for (const auto& kind : test::all_clouds())
      for (const int threads : {1, 3}) {
        ASSERT_NO_FATAL_FAILURE(expect_ordered<2>(kind, n, threads));
        ASSERT_NO_FATAL_FAILURE(expect_ordered<3>(kind, n, threads));
      }
}

TEST(CrowdedCells, FineOrderIsMortonOrderOfTheBits) {
  // Against codes of 96 bits, interleaved bit by bit.
  const auto code = [](const float* p) {
    std::vector<bool> bits;
    for (int b = 31; b >= 0; --b)
      for (int a = 2; a >= 0; --a) bits.push_back(ordered_bits(p[a]) >> b & 1);
    return bits;
  };
  for (const auto& kind : test::all_clouds()) {
    const auto c = kind.make(120, 3, 5);
    for (std::size_t i = 0; i < c.size(); i += 3)
      for (std::size_t j = 0; j < c.size(); j += 3)
        ASSERT_EQ(precedes_within_cell<3>(&c[i], &c[j]), code(&c[i]) < code(&c[j])) << kind.name;
  }
}

TEST(CrowdedCells, BitsAreInTheOrderOfTheFloats) {
  const float rising[] = {-INFINITY, -3e38f, -1.0f, -1e-40f, -0.0f, 0.0f, 1e-45f, 1e-38f, 0.5f, 1.0f, 3e38f, INFINITY};
  for (std::size_t i = 1; i < std::size(rising); ++i) EXPECT_LT(ordered_bits(rising[i - 1]), ordered_bits(rising[i]));
}

/// Float64 points of one cell: all of them remain, and consecutive ones are near each other. Of n points in order,
/// buckets of 16 have small boxes; in random order each would be as wide as the cloud.
TEST(CrowdedCells, Float64PointsThatAreNearAreConsecutive) {
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
      ASSERT_TRUE(std::ranges::is_sorted(fine.codes));
      std::set<std::uint32_t> ids;
      std::int64_t pairs = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const auto id = cloud.points.ids[i];
        ids.insert(id);
        for (int a = 0; a < 3; ++a) ASSERT_EQ(cloud.points.axes[a][i], rounded[static_cast<std::int64_t>(id) * 3 + a]);
        pairs += i > 0 && (id ^ 1) == cloud.points.ids[i - 1];
      }
      EXPECT_EQ(static_cast<std::int64_t>(ids.size()), n);
      EXPECT_GT(pairs, n * 2 / 5);  // a point and its neighbour 10⁻⁹ away, of n / 2
    }
}

TEST(CrowdedCells, PlacesOfFloat64PointsAreThoseAmongTheCrowd) {
  for (const auto make : {test::two_sites, test::sphere_clusters, test::same_float32, test::squares_that_underflow}) {
    const auto points = make(500, 3, 9);
    auto data = cloud_of<3>(test::Coordinates(points.begin(), points.end()), std::vector<std::uint64_t>(500, 9));
    const auto fine = order_crowded_cells(data, points.data(), 2);
    Array<std::uint32_t> ranks(500, 500u);
    rank_within_crowded_cells(data, points.data(), data, points.data(), fine, ranks, 2);
    std::int64_t near = 0;
    for (std::uint32_t i = 0; i < 500; ++i) near += std::abs(static_cast<int>(ranks[i]) - static_cast<int>(i)) <= 16;
    EXPECT_EQ(near, 500);
  }
}

TEST(CrowdedCells, PlacesAreThoseAmongTheCrowd) {
  const auto c = test::uniform(500, 3, 7);
  auto data = cloud_of<3>(c, std::vector<std::uint64_t>(500, 9));
  order_crowded_cells(data, 2);
  auto queries = data;
  Array<std::uint32_t> ranks(500, 500u);
  rank_within_crowded_cells(queries, data, ranks, 2);
  for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(ranks[i], i);
  // A query of another cell keeps its rank.
  std::fill(queries.codes.begin(), queries.codes.end(), 10);
  std::fill(ranks.begin(), ranks.end(), 500u);
  rank_within_crowded_cells(queries, data, ranks, 2);
  for (const auto rank : ranks) ASSERT_EQ(rank, 500u);
}

}  // namespace
}  // namespace kann::cpu
