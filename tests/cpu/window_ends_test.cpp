// The ends of windows by codes are those by cells, which define them.
#include "cpu/window_ends.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <utility>
#include <vector>

#include "clouds.hpp"
#include "geometry/distance.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {
namespace {

template <int D>
void expect_ends_by_cells(const test::CloudKind& kind) {
  constexpr std::int64_t n = 300, half = 12;
  const test::Coordinates cloud = kind.make(n, D, 61), queries = kind.make(40, D, 62);
  Grid grid;
  const auto [lo, hi] = std::minmax_element(cloud.begin(), cloud.end());
  for (float& x : grid.lo) x = *lo;
  grid.inv = *hi > *lo ? static_cast<float>((1 << (D == 3 ? 20 : 30)) / (double{*hi} - *lo)) : 0;
  std::vector<std::pair<std::uint64_t, std::int64_t>> order;
  for (std::int64_t i = 0; i < n; ++i) order.emplace_back(morton_code<D>(&cloud[i * D], grid), i);
  std::sort(order.begin(), order.end());
  std::vector<std::uint64_t> codes;
  for (const auto& place : order) codes.push_back(place.first);
  const auto cell_of_point = [&](const float* point, std::uint32_t(&cell)[D]) {
    for (int a = 0; a < D; ++a) cell[a] = cell_of<D>(point[a], grid.lo[a], grid.inv);
  };

  for (std::int64_t q = 0; q < 40; ++q)
    for (const std::int64_t rank : {0, 12, 13, 100, 200, 287, 288, 300}) {
      const float* const query = &queries[q * D];
      std::uint32_t own[D];
      cell_of_point(query, own);
      const Window window = window_around(rank, half, n);
      const auto sq_dist_at = [&](std::int64_t at) { return sq_distance<D>(query, &cloud[order[at].second * D]); };
      const float last = 0.25f * sq_dist_at(q % 2 ? window.begin : window.end - 1) * (q % 3 ? 2 : 1);
      const WindowEnds want = ends_of<D>(
          window, n, own, 4 * last,
          [&](std::int64_t at, std::uint32_t(&cell)[D]) { cell_of_point(&cloud[order[at].second * D], cell); },
          sq_dist_at);
      const WindowEnds got = ends_by_codes<D>(codes.data(), window, n, morton_code<D>(query, grid),
                                              [&](std::int64_t at) { return sq_dist_at(at) < 4 * last; });
      ASSERT_EQ(got.sq_side, want.sq_side) << kind.name << " " << D << "-D, rank " << rank;
      ASSERT_EQ(got.cuts_run, want.cuts_run) << kind.name << " " << D << "-D, rank " << rank;
    }
}

TEST(WindowEnds, ByCodesAreThoseByCells) {
  for (const auto& kind : test::all_clouds()) {
    ASSERT_NO_FATAL_FAILURE(expect_ends_by_cells<2>(kind));
    ASSERT_NO_FATAL_FAILURE(expect_ends_by_cells<3>(kind));
  }
}

TEST(WindowEnds, OfAllDataAreFar) {
  const std::vector<std::uint64_t> codes(10, 7);
  const auto is_near = [](std::int64_t) { return true; };
  const WindowEnds all = ends_by_codes<3>(codes.data(), {0, 10}, 10, 7, is_near);
  EXPECT_EQ(all.sq_side, std::numeric_limits<float>::infinity());
  EXPECT_FALSE(all.cuts_run);
  EXPECT_TRUE(ends_by_codes<3>(codes.data(), {0, 9}, 10, 7, is_near).cuts_run);
  EXPECT_EQ(ends_by_codes<3>(codes.data(), {1, 10}, 10, 7, is_near).sq_side, 0);
}

}  // namespace
}  // namespace kann::cpu
