// The lane arithmetic of the radix split: which lane a shuffle gathers from. Needs no GPU.
#include <algorithm>
#include <gtest/gtest.h>

#include "cuda/paper/radix_sort.cuh"
#include "segments.hpp"

namespace kann {

using namespace geometry;

namespace {

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
  for (int lane = 0; lane < 32; ++lane) ASSERT_EQ(cuda::paper::split_source<L>(ones, lane), right[lane]) << ones;
}

/// The scan scatters a lane to where the split gathers it from.
template <int L>
void expect_inverse_of_scan(unsigned ones) {
  for (int lane = 0; lane < 32; ++lane) {
    const int head = lane & -L;
    const auto before = [&](unsigned bits, int end) {
      return static_cast<int>(test::segmented_sums(bits, test::heads_of_length(L))[end]);
    };
    const int last = head + L - 1;
    const int zeros = before(~ones, last) + static_cast<int>(~ones >> last & 1);
    const int destination = head + (ones >> lane & 1 ? zeros + before(ones, lane) : before(~ones, lane));
    ASSERT_EQ(cuda::paper::split_source<L>(ones, destination), lane) << ones;
  }
}

template <int L>
void expect_members_by_rank(unsigned members) {
  for (int lane = 0; lane < 32; ++lane) {
    int rank = 0;
    for (int i = lane & -L; i < (lane & -L) + L; ++i)
      if (members >> i & 1) ASSERT_EQ(cuda::paper::select_member<L>(members, lane, rank++), i) << members;
  }
}

template <class Length>
class RadixSplitLanes : public testing::Test {};
using Lengths =
    testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 4>, std::integral_constant<int, 8>,
                   std::integral_constant<int, 16>, std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(RadixSplitLanes, Lengths);

// 16 bits are every pattern of a segment up to 16 lanes; the upper half of the warp gets others.
TYPED_TEST(RadixSplitLanes, SplitIsAStablePartition) {
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    ASSERT_NO_FATAL_FAILURE(expect_stable_split<TypeParam::value>(bits | bits * 40503u << 16));
}

TYPED_TEST(RadixSplitLanes, SplitIsAStablePartitionOfRandomWarps) {
  test::Random random(5);
  for (int i = 0; i < 50000; ++i)
    ASSERT_NO_FATAL_FAILURE(expect_stable_split<TypeParam::value>(test::random_bits(random)));
}

TYPED_TEST(RadixSplitLanes, SplitInvertsTheScan) {
  test::Random random(6);
  for (int i = 0; i < 500; ++i)
    ASSERT_NO_FATAL_FAILURE(expect_inverse_of_scan<TypeParam::value>(test::random_bits(random)));
}

TYPED_TEST(RadixSplitLanes, SelectFindsEveryMember) {
  test::Random random(7);
  for (const unsigned members : {0u, 1u, 0x80000000u, 0xffffffffu, 0x55555555u})
    ASSERT_NO_FATAL_FAILURE(expect_members_by_rank<TypeParam::value>(members));
  for (int i = 0; i < 20000; ++i)
    ASSERT_NO_FATAL_FAILURE(expect_members_by_rank<TypeParam::value>(test::random_bits(random)));
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
    EXPECT_EQ(cuda::paper::key_of(cuda::paper::candidate_of(ascending[i])), ascending[i]);
    for (std::size_t j = 0; j < ascending.size(); ++j)
      EXPECT_EQ(cuda::paper::candidate_of(ascending[i]) < cuda::paper::candidate_of(ascending[j]), i < j);
  }
}

// What lets the sort leave out bit 31.
TEST(WarpCandidate, AbsentComesLastByTheLower31BitsOfItsDistance) {
  const auto lower = [](NeighborKey key) { return cuda::paper::candidate_of(key).sq_dist_bits & 0x7fffffffu; };
  EXPECT_GT(lower(k_absent), lower(neighbor_key(INFINITY, 0xffffffff)));
}

}  // namespace
}  // namespace kann
