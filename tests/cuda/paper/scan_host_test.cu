// What the single-pass scan computes about itself: status words, sizes, the banks of its exchange. Needs no GPU.
#include <gtest/gtest.h>
#include <set>

#include "cuda/paper/single_pass_scan.cuh"

namespace kann {
namespace {

TEST(TileStatus, CarriesStateAndSum) {
  for (const std::uint64_t sum :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, (std::uint64_t{1} << 62) - 1})
    for (const auto state :
         {cuda::paper::TileState::invalid, cuda::paper::TileState::partial, cuda::paper::TileState::inclusive}) {
      const std::uint64_t status = cuda::paper::tile_status(state, sum);
      EXPECT_EQ(cuda::paper::tile_state(status), state);
      EXPECT_EQ(cuda::paper::tile_sum(status), sum);
    }
}

TEST(TileStatus, ZeroedMemoryIsSilent) { EXPECT_EQ(cuda::paper::tile_state(0), cuda::paper::TileState::invalid); }

TEST(TileStatus, SumsPast62BitsWrap) {  // so that 32-bit sums, which wrap earlier, stay right
  EXPECT_EQ(
      cuda::paper::tile_sum(cuda::paper::tile_status(cuda::paper::TileState::inclusive, (std::uint64_t{1} << 62) + 5)),
      5u);
}

TEST(TileStatus, LanesThroughTheLowestOfASet) {
  EXPECT_EQ(cuda::paper::lanes_through_lowest(0), 0xffffffffu);
  EXPECT_EQ(cuda::paper::lanes_through_lowest(1), 1u);
  EXPECT_EQ(cuda::paper::lanes_through_lowest(0b10100), 0b111u);
  EXPECT_EQ(cuda::paper::lanes_through_lowest(0x80000000u), 0xffffffffu);
}

TEST(SinglePassScanBytes, HoldAWordATileAndTheCounter) {
  EXPECT_EQ(cuda::paper::single_pass_scan_bytes(0), 8u);
  EXPECT_EQ(cuda::paper::single_pass_scan_bytes(1), 16u);
  EXPECT_EQ(cuda::paper::single_pass_scan_bytes(cuda::paper::k_scan_tile), 16u);
  EXPECT_EQ(cuda::paper::single_pass_scan_bytes(cuda::paper::k_scan_tile + 1), 24u);
  EXPECT_EQ(cuda::paper::single_pass_scan_bytes(std::int64_t{1} << 40), (std::size_t{1} << 31) + 8);
}

TEST(SinglePassScanArguments, RefusesTooLittleStorageAndImpossibleSizes) {
  const std::uint32_t* d_in = nullptr;
  std::uint32_t* d_out = nullptr;
  const auto message = [&](std::size_t bytes, std::int64_t n) {
    try {
      cuda::paper::single_pass_exclusive_sum(nullptr, bytes, d_in, d_out, n, nullptr);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::internal);
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(15, 4096), "single-pass scan: temporary storage is too small (got 15 bytes, need 16)");
  EXPECT_EQ(message(1 << 20, -1), "single-pass scan of -1 elements, at most 8796093018112 are possible");
  EXPECT_EQ(message(1 << 20, INT64_MAX),
            "single-pass scan of 9223372036854775807 elements, at most 8796093018112 are possible");
}

// Shared memory serves 8 lanes of 16 bytes at a time; they must fall into its 8 groups of 4 banks once each.
TEST(ExchangeSlot, EightLanesMeetNoBankTwice) {
  for (const int vectors_per_lane : {1, 2, 4, 8})
    for (int lane = 0; lane < 32; lane += 8)
      for (int i = 0; i < vectors_per_lane; ++i) {
        std::set<int> striped, blocked;
        for (int l = lane; l < lane + 8; ++l) {
          striped.insert(cuda::paper::exchange_slot(i * 32 + l) % 8);
          blocked.insert(cuda::paper::exchange_slot(l * vectors_per_lane + i) % 8);
        }
        EXPECT_EQ(striped.size(), 8u);
        EXPECT_EQ(blocked.size(), 8u) << vectors_per_lane << ' ' << lane << ' ' << i;
      }
}

TEST(ExchangeSlot, IsAPermutation) {
  std::set<int> slots;
  for (int v = 0; v < 256; ++v) slots.insert(cuda::paper::exchange_slot(v));
  EXPECT_EQ(slots.size(), 256u);
  EXPECT_EQ(*slots.rbegin(), 255);
}

}  // namespace
}  // namespace kann
