// The shifts and curves that points are ordered by, as kernels take them.
#include <gtest/gtest.h>

#include "cuda/order/shift.hpp"

namespace kann::cuda {
namespace {

TEST(ShiftHost, MovesEveryAxisByItsPartOfTheGrid) {
  for (const int d : {2, 3})
    for (const int shifts : {1, 3, 5, 9})
      for (int j = 0; j < shifts; ++j) {
        const Shift shift = shift_of(d, j, shifts);
        const std::uint64_t cells = d == 3 ? 1u << 20 : 1u << 30;
        EXPECT_EQ(shift.cells, j * cells / shifts);
        EXPECT_EQ(shift.dimensions, d);
        EXPECT_EQ(shift.bits, d == 3 ? 63 : 62);
        EXPECT_FALSE(orders_within_cells(shift));
      }
}

/// Leading bits that are 0 in the code of the last cell, moved by the shift.
template <int D>
int zero_bits(const Shift& shift) {
  std::uint32_t last[D];
  for (auto& cell : last) cell = (1u << k_cell_bits<D>)-1 + shift.cells;
  const std::uint64_t code = interleave(last);
  int zeros = 0;
  while (zeros < k_code_bits<D> && !(code >> (k_code_bits<D> - 1 - zeros) & 1)) ++zeros;
  return zeros;
}

TEST(ShiftHost, OnlyAnUnshiftedMortonCodeLeavesTheHighestBitOfEachAxisUnused) {
  EXPECT_EQ(unused_bits(morton_curve(2)), zero_bits<2>(morton_curve(2)));
  EXPECT_EQ(unused_bits(morton_curve(3)), zero_bits<3>(morton_curve(3)));
  EXPECT_EQ(unused_bits(morton_curve(3)), 3);
  for (const std::uint32_t cells : {1u, 1u << 19}) {
    EXPECT_EQ(unused_bits({3, cells, 63}), 0);
    EXPECT_EQ(zero_bits<3>({3, cells, 63}), 0);
  }
  EXPECT_EQ(unused_bits(hilbert_curve(2)), 0);
  EXPECT_EQ(unused_bits(hilbert_curve(3)), 0);
}

TEST(ShiftHost, CurvesCompareAllBits) {
  EXPECT_EQ(morton_curve(2).bits, 62);
  EXPECT_EQ(morton_curve(3).bits, 63);
  EXPECT_EQ(hilbert_curve(2).bits, 60);
  EXPECT_EQ(hilbert_curve(3).bits, 60);
  EXPECT_TRUE(orders_within_cells(hilbert_curve(2)));
  EXPECT_TRUE(orders_within_cells(hilbert_curve(3)));
}

TEST(ShiftHost, AShortenedHilbertCodeHasTheLevelsThatItsBitsBeginIn) {
  for (const int d : {2, 3})
    for (int bits = 1; bits <= 60; ++bits) {
      const Shift shift = shortened(hilbert_curve(d), bits);
      EXPECT_EQ(shift.bits, bits);
      EXPECT_GE(shift.hilbert_bits_per_axis * d, bits);
      EXPECT_LT((shift.hilbert_bits_per_axis - 1) * d, bits);
    }
  EXPECT_EQ(shortened(morton_curve(3), 24).bits, 24);
  EXPECT_EQ(shortened(morton_curve(3), 24).hilbert_bits_per_axis, 0);
}

}  // namespace
}  // namespace kann::cuda
