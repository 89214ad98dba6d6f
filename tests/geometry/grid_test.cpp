// Cells, and their codes along the curves of Morton and Hilbert, bit by bit.
#include "geometry/grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "clouds.hpp"
#include "geometry/hilbert.hpp"
#include "geometry/morton.hpp"

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

/// Bit by bit: bit b of cell a is bit b·D + a.
template <int D>
std::uint64_t bit_by_bit(const std::array<std::uint32_t, D>& cells) {
  std::uint64_t code = 0;
  for (int b = 0; b <= k_cell_bits<D>; ++b)
    for (int a = 0; a < D; ++a) code |= static_cast<std::uint64_t>(cells[a] >> b & 1) << (b * D + a);
  return code;
}

template <std::size_t D>
std::uint64_t interleaved(const std::array<std::uint32_t, D>& cells) {
  std::uint32_t cell[D];
  std::ranges::copy(cells, cell);
  return interleave(cell);
}

template <int D>
void check_codes_and_shifts() {
  test::Random random(5);
  const auto draw = [&] { return static_cast<std::uint32_t>(random.below(1u << k_cell_bits<D>)); };
  for (int round = 0; round < 2000; ++round) {
    std::array<std::uint32_t, D> cells;
    for (auto& c : cells) c = round == 0 ? 0 : round == 1 ? (1u << k_cell_bits<D>)-1 : draw();
    const std::uint64_t code = interleaved(cells);
    ASSERT_EQ(code, bit_by_bit<D>(cells));
    Grid unit_cells;
    unit_cells.inv = 1;
    float point[D];
    std::array<std::uint32_t, D> of_point;
    for (int a = 0; a < D; ++a)
      of_point[a] = static_cast<std::uint32_t>(point[a] = static_cast<float>(cells[a] / 64 * 64));
    for (auto& c : of_point) c = std::min(c, D == 3 ? 1048575u : 1073741760u);
    for (const int shifts : {1, 3, 5}) {
      auto moved = of_point;
      for (auto& c : moved) c += shift_cells<D>(shifts - 1, shifts);
      ASSERT_EQ((shifted_code<D>(point, unit_cells, shift_cells<D>(shifts - 1, shifts))), bit_by_bit<D>(moved));
    }
    ASSERT_LT(code, std::uint64_t{1} << k_code_bits<D>);

    for (const int shifts : {1, 3, 5, 9, 255}) {
      const int j = static_cast<int>(random.below(shifts));
      std::array<std::uint32_t, D> moved = cells;
      for (auto& c : moved) c += static_cast<std::uint32_t>((std::uint64_t{1} << k_cell_bits<D>)*j / shifts);
      ASSERT_EQ(interleaved(moved), bit_by_bit<D>(moved));
      ASSERT_EQ(add_shift<D>(code, shift_code<D>(shift_cells<D>(j, shifts))), bit_by_bit<D>(moved))
          << j << " of " << shifts;
    }
  }
}

TEST(Morton, CodeInterleavesAndShiftAddsOnEveryAxis3d) { check_codes_and_shifts<3>(); }
TEST(Morton, CodeInterleavesAndShiftAddsOnEveryAxis2d) { check_codes_and_shifts<2>(); }

TEST(Morton, ShiftZeroIsNone) {
  EXPECT_EQ(shift_code<3>(shift_cells<3>(0, 5)), 0u);
  EXPECT_EQ(add_shift<3>(0x123456789abcdef, 0), 0x123456789abcdefu);
}

TEST(Morton, SortKeyKeepsTheLeadingBits) {
  const std::uint64_t code = (std::uint64_t{1} << 62) - 12345;
  EXPECT_EQ(sort_key<3>(code, 0, 63), code);
  EXPECT_EQ(sort_key<3>(code, 0, 40), code >> 23);
  EXPECT_EQ(sort_key<2>(code >> 1, 0, 1), code >> 1 >> 61);
}

TEST(Morton, PointInTheMiddleOfTheUnitCube) {
  const float p[3] = {0.5f, 0.0f, 0.75f};
  Grid grid;
  grid.inv = 0x1p20f;
  EXPECT_EQ((morton_code<3>(p, grid)), (bit_by_bit<3>({1u << 19, 0, 3u << 18})));
}

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
