#include "geometry/morton.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

#include "clouds.hpp"

namespace kann::geometry {

using namespace test;

namespace {

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

}  // namespace
}  // namespace kann::geometry
