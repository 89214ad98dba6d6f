// The arithmetic of `paper` that needs no GPU: the masks of the segmented scan, and of the published code that it
// corrects; what the single-pass scan computes about itself; which lane a radix split gathers from.
#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <set>

#include "cuda/launch.cuh"
#include "cuda/paper/radix_sort.cuh"
#include "cuda/paper/segmented_scan.cuh"
#include "cuda/paper/single_pass_scan.cuh"
#include "segments.hpp"

namespace kann::test {
namespace {

using namespace cuda::paper;
using geometry::k_absent, geometry::neighbor_key, geometry::NeighborKey;

std::vector<unsigned> our_sums(unsigned bits, unsigned heads) {
  std::vector<unsigned> sums(32);
  for (int lane = 0; lane < 32; ++lane) sums[lane] = segmented_count(bits, heads, lane);
  return sums;
}

/// Harris and Garland, GPU Computing Gems (Jade), chapter 3, as Park's Table 2 reports it. The shift by up to 33 is
/// done in 64 bits, which gives the 0 that the device gives.
std::vector<unsigned> sums_of_harris_and_garland(unsigned bits, unsigned heads) {
  std::vector<unsigned> sums(32);
  for (int lane = 0; lane < 32; ++lane) {
    const unsigned below = (1u << lane) - 1;
    const int above = std::countl_zero((heads | 1) & below) + 1;
    const unsigned segment = ~static_cast<unsigned>(0xffffffffull >> above);
    sums[lane] = static_cast<unsigned>(std::popcount(bits & below & segment));
  }
  return sums;
}

constexpr unsigned k_paper_bits = 0b10011101, k_paper_heads = 0b01001001;

std::vector<unsigned> first_eight(std::vector<unsigned> sums) {
  sums.resize(8);
  return sums;
}

TEST(SegmentedScanMasks, GivesThePapersExample) {  // figures 5 and 7, lane 0 first
  const std::vector<unsigned> right = {0, 1, 1, 0, 1, 2, 0, 0};
  EXPECT_EQ(first_eight(our_sums(k_paper_bits, k_paper_heads)), right);
  EXPECT_EQ(first_eight(segmented_sums(k_paper_bits, k_paper_heads)), right);
}

TEST(SegmentedScanMasks, HarrisAndGarlandFailOnThePapersExample) {  // figure 6, lane 0 first
  const std::vector<unsigned> theirs = {0, 1, 1, 2, 1, 2, 2, 0};
  EXPECT_EQ(first_eight(sums_of_harris_and_garland(k_paper_bits, k_paper_heads)), theirs);
}

// Their code does not test the head's own flag: the head counts the segment before its own. So it is right where the
// warp is one segment.
TEST(SegmentedScanMasks, HarrisAndGarlandFailAtHeadsAndThereAlone) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const unsigned bits = random_bits(random), heads = i % 2 == 0 ? 1 : random_heads(random);
    const std::vector<unsigned> right = segmented_sums(bits, heads);
    const std::vector<unsigned> theirs = sums_of_harris_and_garland(bits, heads);
    EXPECT_EQ(theirs[0], 0u);
    for (int lane = 1; lane < 32; ++lane) {
      const unsigned in_segment_before = right[lane - 1] + (bits >> (lane - 1) & 1);
      ASSERT_EQ(theirs[lane], heads >> lane & 1 ? in_segment_before : right[lane]);
    }
  }
}

TEST(SegmentedScanMasks, IsRightForAllFlagsAndBitsOfEightLanes) {
  for (const int at : {0, 24})  // the lowest lanes, and the highest, whose masks fill the word
    for (unsigned heads = 0; heads < 256; ++heads)
      for (unsigned bits = 0; bits < 256; ++bits) {
        const auto right = segmented_sums(bits << at, heads << at);
        for (int lane = at; lane < at + 8; ++lane)
          ASSERT_EQ(segmented_count(bits << at, heads << at, lane), right[lane]) << heads << ' ' << bits;
      }
}

/// Lanes before the first head are a segment, too.
TEST(SegmentedScanMasks, IsRightForSegmentsOfEveryLengthAndOfRandomOnes) {
  Random random(3);
  for (int i = 0; i < 60000; ++i) {
    const unsigned bits = i == 0 ? 0xffffffffu : random_bits(random);
    const unsigned heads = (i % 2 == 0 ? heads_of_length(1 + i / 2 % 32) : random_heads(random)) & ~(i / 64 & 1u);
    ASSERT_EQ(our_sums(bits, heads), segmented_sums(bits, heads)) << heads;
  }
}

TEST(SegmentedScanMasks, EqualHeadsAreThoseOfTheirLength) {
  for_sizes<1, 2, 4, 8, 16, 32>([](auto length) { EXPECT_EQ(k_equal_heads<length()>, heads_of_length(length())); });
}

TEST(TileStatus, CarriesStateAndSum) {
  constexpr std::uint64_t most = (std::uint64_t{1} << 62) - 1;
  for (const std::uint64_t sum : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, most, most + 6})
    for (const auto state : {TileState::invalid, TileState::partial, TileState::inclusive}) {
      const std::uint64_t status = tile_status(state, sum);
      EXPECT_EQ(tile_state(status), state);
      EXPECT_EQ(tile_sum(status), sum & most);  // it wraps, so that 32-bit sums, which wrap earlier, stay right
    }
  EXPECT_EQ(tile_state(0), TileState::invalid);  // zeroed memory
}

TEST(TileStatus, LanesThroughTheLowestOfASet) {
  EXPECT_EQ(lanes_through_lowest(0), 0xffffffffu);
  EXPECT_EQ(lanes_through_lowest(1), 1u);
  EXPECT_EQ(lanes_through_lowest(0b10100), 0b111u);
  EXPECT_EQ(lanes_through_lowest(0x80000000u), 0xffffffffu);
}

TEST(SinglePassScanBytes, HoldAWordATileAndTheCounter) {
  EXPECT_EQ(single_pass_scan_bytes(0), 8u);
  EXPECT_EQ(single_pass_scan_bytes(1), 16u);
  EXPECT_EQ(single_pass_scan_bytes(k_scan_tile), 16u);
  EXPECT_EQ(single_pass_scan_bytes(k_scan_tile + 1), 24u);
  EXPECT_EQ(single_pass_scan_bytes(std::int64_t{1} << 40), (std::size_t{1} << 31) + 8);
}

TEST(SinglePassScanArguments, RefusesTooLittleStorageAndImpossibleSizes) {
  const std::uint32_t* d_in = nullptr;
  std::uint32_t* d_out = nullptr;
  const auto message = [&](std::size_t bytes, std::int64_t n) {
    try {
      single_pass_exclusive_sum(nullptr, bytes, d_in, d_out, n, nullptr);
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
          striped.insert(exchange_slot(i * 32 + l) % 8);
          blocked.insert(exchange_slot(l * vectors_per_lane + i) % 8);
        }
        EXPECT_EQ(striped.size(), 8u);
        EXPECT_EQ(blocked.size(), 8u) << vectors_per_lane << ' ' << lane << ' ' << i;
      }
}

TEST(ExchangeSlot, IsAPermutation) {
  std::set<int> slots;
  for (int v = 0; v < 256; ++v) slots.insert(exchange_slot(v));
  EXPECT_EQ(slots.size(), 256u);
  EXPECT_EQ(*slots.rbegin(), 255);
}

/// Lane i gets from sources[i] if each segment of L lanes is split stably by its bits.
template <int L>
std::vector<int> stable_split(unsigned ones) {
  std::vector<int> sources(32);
  std::iota(sources.begin(), sources.end(), 0);
  for (int head = 0; head < 32; head += L)
    std::stable_partition(sources.begin() + head, sources.begin() + head + L,
                          [&](int lane) { return !(ones >> lane & 1); });
  return sources;
}

template <int L>
void expect_stable_split(unsigned ones) {
  const std::vector<int> right = stable_split<L>(ones);
  for (int lane = 0; lane < 32; ++lane) ASSERT_EQ(split_source<L>(ones, lane), right[lane]) << ones;
}

/// The scan scatters a lane to where the split gathers it from.
template <int L>
void expect_inverse_of_scan(unsigned ones) {
  for (int lane = 0; lane < 32; ++lane) {
    const int head = lane & -L;
    const auto before = [&](unsigned bits, int end) {
      return static_cast<int>(segmented_sums(bits, heads_of_length(L))[end]);
    };
    const int last = head + L - 1;
    const int zeros = before(~ones, last) + static_cast<int>(~ones >> last & 1);
    const int destination = head + (ones >> lane & 1 ? zeros + before(ones, lane) : before(~ones, lane));
    ASSERT_EQ(split_source<L>(ones, destination), lane) << ones;
  }
}

template <int L>
void expect_members_by_rank(unsigned members) {
  for (int lane = 0; lane < 32; ++lane) {
    int rank = 0;
    for (int i = lane & -L; i < (lane & -L) + L; ++i)
      if (members >> i & 1) ASSERT_EQ(select_member<L>(members, lane, rank++), i) << members;
  }
}

template <class Length>
class RadixSplitLanes : public testing::Test {};
using Lengths = Sizes<2, 4, 8, 16, 32>;
TYPED_TEST_SUITE(RadixSplitLanes, Lengths);

// 16 bits are every pattern of a segment up to 16 lanes; the upper half of the warp gets others.
TYPED_TEST(RadixSplitLanes, SplitIsAStablePartition) {
  Random random(5);
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    ASSERT_NO_FATAL_FAILURE(expect_stable_split<TypeParam::value>(bits | random_bits(random) << 16));
}

TYPED_TEST(RadixSplitLanes, SplitInvertsTheScan) {
  Random random(6);
  for (int i = 0; i < 500; ++i) ASSERT_NO_FATAL_FAILURE(expect_inverse_of_scan<TypeParam::value>(random_bits(random)));
}

TYPED_TEST(RadixSplitLanes, SelectFindsEveryMember) {
  Random random(7);
  for (const unsigned members : {0u, 1u, 0x80000000u, 0xffffffffu, 0x55555555u})
    ASSERT_NO_FATAL_FAILURE(expect_members_by_rank<TypeParam::value>(members));
  for (int i = 0; i < 20000; ++i)
    ASSERT_NO_FATAL_FAILURE(expect_members_by_rank<TypeParam::value>(random_bits(random)));
}

TEST(WarpCandidate, KeepsTheOrderOfKeys) {
  const std::vector<NeighborKey> ascending = {neighbor_key(0, 0),
                                              neighbor_key(0, 7),
                                              neighbor_key(1e-40f, 3),
                                              neighbor_key(1, 2),
                                              neighbor_key(1, 0xfffffffe),
                                              neighbor_key(INFINITY, 0),
                                              k_absent};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    EXPECT_EQ(key_of(candidate_of(ascending[i])), ascending[i]);
    for (std::size_t j = 0; j < ascending.size(); ++j)
      EXPECT_EQ(candidate_of(ascending[i]) < candidate_of(ascending[j]), i < j);
  }
}

// What lets the sort leave out bit 31.
TEST(WarpCandidate, AbsentComesLastByTheLower31BitsOfItsDistance) {
  const auto lower = [](NeighborKey key) { return candidate_of(key).sq_dist_bits & 0x7fffffffu; };
  EXPECT_GT(lower(k_absent), lower(neighbor_key(INFINITY, 0xffffffff)));
}

}  // namespace
}  // namespace kann::test
