#include "geometry/hilbert.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

namespace kann::geometry {
namespace {

/// A grid whose cells are unit cubes when only the leading `bits` of each axis count.
template <int D>
Grid unit_cells(int bits) {
  Grid grid;
  grid.inv = static_cast<float>(1u << (k_cell_bits<D> - bits));
  return grid;
}

/// Visits all cells of a grid of 2^bits cells per axis in the order of their codes: each must be adjacent to the last.
template <int D>
void expect_connected_curve(int bits) {
  const int side = 1 << bits;
  struct Cell {
    std::uint64_t code;
    std::array<int, 3> at;
  };
  std::vector<Cell> cells;
  for (int z = 0; z < (D == 3 ? side : 1); ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const float point[3] = {static_cast<float>(x) + 0.25f, static_cast<float>(y) + 0.25f,
                                static_cast<float>(z) + 0.25f};
        const std::uint64_t code = hilbert_code<D>(point, unit_cells<D>(bits), bits);
        ASSERT_LT(code, std::uint64_t{1} << k_hilbert_bits<D>);
        cells.push_back({code >> D * (k_cell_bits<D> - bits), {x, y, z}});
      }
  std::ranges::sort(cells, {}, &Cell::code);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ASSERT_EQ(cells[i].code, i);
    if (i == 0) continue;
    int steps = 0;
    for (int a = 0; a < 3; ++a) steps += std::abs(cells[i].at[a] - cells[i - 1].at[a]);
    ASSERT_EQ(steps, 1) << i;
  }
}

TEST(Hilbert, TheCurveIsConnectedAndVisitsEveryCellOnce) {
  for (int bits = 1; bits <= 5; ++bits) {
    expect_connected_curve<2>(bits);
    expect_connected_curve<3>(bits);
  }
}

TEST(Hilbert, FewerLevelsGiveTheLeadingBitsOfMore) {
  const float point[3] = {0.3f, 0.7f, 0.11f};
  Grid grid;
  grid.inv = 1 << 20;
  const std::uint64_t all = hilbert_code<3>(point, grid);
  for (int levels = 1; levels < 20; ++levels)
    EXPECT_EQ(hilbert_code<3>(point, grid, levels) >> 3 * (20 - levels), all >> 3 * (20 - levels)) << levels;
}

}  // namespace
}  // namespace kann::geometry
