// By how many bits points are sorted: every branch of the policy, on the host.
#include <gtest/gtest.h>

#include "cuda/order/sort_depth.hpp"

namespace kann::cuda {
namespace {

constexpr std::int64_t k_many = std::int64_t{1} << 21;  // points; one block in 16 is sampled: 2¹⁷ points

constexpr OrderReport k_incomplete{1, 0, 0};

OrderReport coarse_runs(std::uint32_t sampled) { return {0, 0, sampled}; }

TEST(SortDepthHost, FewPointsAreSortedByCoarseBits) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, k_few_points - 1, k_few_points})
    for (const bool has_later : {false, true})
      EXPECT_EQ(first_plan(count, has_later), (SortPlan{SortDepth::coarse_bits, false})) << count;
}

TEST(SortDepthHost, ManyPointsTryCoarseBitsForLaterOrders) {
  constexpr std::int64_t most = std::int64_t{1} << 31;  // 31 bits of index, 32 of the code and one that is unused
  for (const std::int64_t count : {k_few_points + 1, k_many, most}) {
    EXPECT_EQ(first_plan(count, true), (SortPlan{SortDepth::leading_bits, true})) << count;
    EXPECT_EQ(first_plan(count, false), (SortPlan{SortDepth::leading_bits, false})) << count;
  }
  EXPECT_EQ(first_plan(most + 1, true), (SortPlan{SortDepth::leading_bits, false}));
}

TEST(SortDepthHost, PackedKeysHoldCoarseAndLeadingBits) {
  EXPECT_TRUE((SortPlan{SortDepth::coarse_bits, false}.is_packed()));
  EXPECT_TRUE((SortPlan{SortDepth::leading_bits, false}.is_packed()));
  EXPECT_FALSE((SortPlan{SortDepth::all_bits, false}.is_packed()));
  EXPECT_FALSE((SortPlan{SortDepth::within_cells, false}.is_packed()));
}

TEST(SortDepthHost, OnlyLeadingBitsCanBecomeCoarse) {
  EXPECT_TRUE((SortPlan{SortDepth::leading_bits, true}.may_coarsen()));
  EXPECT_FALSE((SortPlan{SortDepth::leading_bits, false}.may_coarsen()));
  EXPECT_FALSE((SortPlan{SortDepth::coarse_bits, true}.may_coarsen()));
  EXPECT_FALSE((SortPlan{SortDepth::all_bits, true}.may_coarsen()));
}

TEST(SortDepthHost, AnIncompleteOrderIsSortedByMoreBits) {
  const auto next = [](SortDepth depth, bool tries_coarse_bits) {
    const SortVerdict verdict = judge_order({depth, tries_coarse_bits}, k_incomplete, k_many);
    EXPECT_FALSE(verdict.complete);
    EXPECT_FALSE(verdict.next.tries_coarse_bits);
    return verdict.next.depth;
  };
  for (const bool tries : {false, true}) {
    EXPECT_EQ(next(SortDepth::coarse_bits, tries), SortDepth::leading_bits);
    EXPECT_EQ(next(SortDepth::leading_bits, tries), SortDepth::all_bits);
    EXPECT_EQ(next(SortDepth::all_bits, tries), SortDepth::within_cells);
    EXPECT_EQ(next(SortDepth::within_cells, tries), SortDepth::within_cells);
  }
}

TEST(SortDepthHost, ACompleteOrderKeepsItsDepth) {
  for (const SortDepth depth :
       {SortDepth::coarse_bits, SortDepth::leading_bits, SortDepth::all_bits, SortDepth::within_cells}) {
    const SortVerdict verdict = judge_order({depth, false}, coarse_runs(0), k_many);
    EXPECT_TRUE(verdict.complete);
    EXPECT_EQ(verdict.next, (SortPlan{depth, false}));
  }
}

/// The depth after a complete order by leading bits that tried coarse ones.
SortDepth after_trial(const OrderReport& report, std::int64_t count) {
  const SortVerdict verdict = judge_order({SortDepth::leading_bits, true}, report, count);
  EXPECT_TRUE(verdict.complete);
  EXPECT_FALSE(verdict.next.tries_coarse_bits);  // one order decides
  return verdict.next.depth;
}

TEST(SortDepthHost, CoarseBitsAreTakenWhereFewerThanOneSampledPointInEightSharesThem) {
  constexpr std::uint32_t eighth = k_many / 16 / 8;
  EXPECT_EQ(after_trial(coarse_runs(0), k_many), SortDepth::coarse_bits);
  EXPECT_EQ(after_trial(coarse_runs(eighth - 1), k_many), SortDepth::coarse_bits);
  EXPECT_EQ(after_trial(coarse_runs(eighth), k_many), SortDepth::leading_bits);
  EXPECT_EQ(after_trial({0, 1, 0}, k_many), SortDepth::leading_bits);  // a long run
}

TEST(SortDepthHost, PointsAreSparseWhereFewerThanOneSampledPointInThirtyTwoSharesItsBits) {
  constexpr std::uint32_t part = k_many / 16 / 32;
  EXPECT_TRUE(is_sparse(coarse_runs(0), k_many));
  EXPECT_TRUE(is_sparse(coarse_runs(part - 1), k_many));
  EXPECT_FALSE(is_sparse(coarse_runs(part), k_many));
  EXPECT_FALSE(is_sparse({0, 1, 0}, k_many));
}

TEST(SortDepthHost, CountsDoNotOverflow) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  EXPECT_EQ(after_trial(coarse_runs(1u << 29), most), SortDepth::leading_bits);  // times 8 it is 2³²
  EXPECT_FALSE(is_sparse(coarse_runs(1u << 27), most));                          // times 32 likewise
}

}  // namespace
}  // namespace kann::cuda
