// The mask arithmetic of the segmented scan, and of the published code that it corrects. Needs no GPU.
#include <bit>
#include <gtest/gtest.h>

#include "cuda/paper/segmented_scan.cuh"
#include "segments.hpp"

namespace kann {
namespace {

std::vector<unsigned> our_sums(unsigned bits, unsigned heads) {
  std::vector<unsigned> sums(32);
  for (int lane = 0; lane < 32; ++lane) sums[lane] = cuda::paper::segmented_count(bits, heads, lane);
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
  EXPECT_EQ(first_eight(test::segmented_sums(k_paper_bits, k_paper_heads)), right);
}

TEST(SegmentedScanMasks, HarrisAndGarlandFailOnThePapersExample) {  // figure 6, lane 0 first
  const std::vector<unsigned> theirs = {0, 1, 1, 2, 1, 2, 2, 0};
  EXPECT_EQ(first_eight(sums_of_harris_and_garland(k_paper_bits, k_paper_heads)), theirs);
}

TEST(SegmentedScanMasks, HarrisAndGarlandAreRightWhereTheWarpIsOneSegment) {
  test::Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const unsigned bits = test::random_bits(random);
    ASSERT_EQ(sums_of_harris_and_garland(bits, 1), test::segmented_sums(bits, 1));
  }
}

// Their code does not test the head's own flag: the head counts the segment before its own.
TEST(SegmentedScanMasks, HarrisAndGarlandFailAtHeadsAndThereAlone) {
  test::Random random(2);
  for (int i = 0; i < 10000; ++i) {
    const unsigned bits = test::random_bits(random), heads = test::random_heads(random);
    const std::vector<unsigned> right = test::segmented_sums(bits, heads);
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
        const auto right = test::segmented_sums(bits << at, heads << at);
        for (int lane = at; lane < at + 8; ++lane)
          ASSERT_EQ(cuda::paper::segmented_count(bits << at, heads << at, lane), right[lane]) << heads << ' ' << bits;
      }
}

TEST(SegmentedScanMasks, IsRightForSegmentsOfEveryLength) {
  test::Random random(3);
  for (int length = 1; length <= 32; ++length)
    for (int i = 0; i < 1000; ++i) {
      const unsigned bits = test::random_bits(random), heads = test::heads_of_length(length);
      ASSERT_EQ(our_sums(bits, heads), test::segmented_sums(bits, heads)) << length;
    }
}

TEST(SegmentedScanMasks, IsRightForSegmentsOfRandomLengths) {
  test::Random random(4);
  for (int i = 0; i < 20000; ++i) {
    const unsigned bits = test::random_bits(random), heads = test::random_heads(random);
    ASSERT_EQ(our_sums(bits, heads), test::segmented_sums(bits, heads)) << heads;
  }
}

TEST(SegmentedScanMasks, LanesBeforeTheFirstHeadAreASegment) {
  EXPECT_EQ(our_sums(0xffffffffu, 0x80000000u)[30], 30u);
  EXPECT_EQ(our_sums(0xffffffffu, 0x80000000u)[31], 0u);
  EXPECT_EQ(our_sums(0xffffffffu, 0)[31], 31u);
}

TEST(SegmentedScanMasks, EqualHeadsAreThoseOfTheirLength) {
  EXPECT_EQ(cuda::paper::k_equal_heads<1>, test::heads_of_length(1));
  EXPECT_EQ(cuda::paper::k_equal_heads<2>, test::heads_of_length(2));
  EXPECT_EQ(cuda::paper::k_equal_heads<4>, test::heads_of_length(4));
  EXPECT_EQ(cuda::paper::k_equal_heads<8>, test::heads_of_length(8));
  EXPECT_EQ(cuda::paper::k_equal_heads<16>, test::heads_of_length(16));
  EXPECT_EQ(cuda::paper::k_equal_heads<32>, test::heads_of_length(32));
}

}  // namespace
}  // namespace kann
