// What decides about the order of points, on the host: the layout of packed keys, shifts and curves as kernels take
// them, and by how many bits points are sorted.
#include <gtest/gtest.h>
#include <vector>

#include "cuda/order/key_layout.hpp"
#include "cuda/order/shift.hpp"
#include "cuda/order/sort_depth.hpp"

namespace kann::cuda {
namespace {

std::vector<std::int64_t> counts() {
  std::vector<std::int64_t> all = {0, 1};
  for (int n = 1; n <= 32; ++n)
    for (const int step : {-1, 0, 1}) all.push_back((std::int64_t{1} << n) + step);
  return all;
}

void expect_valid(const KeyLayout& layout, std::int64_t count, int bits, int unused, int prefix, int sorted) {
  // The payload: as few bits as the largest index needs, and at least one
  const std::int64_t indices = std::int64_t{1} << layout.payload_bits;
  ASSERT_GE(layout.payload_bits, 1);
  ASSERT_GE(indices, count);
  if (layout.payload_bits > 1) {
    ASSERT_LT(indices / 2, count);
  }

  // The prefix: all compared bits, or as many as are wanted, or as many as the word has left
  ASSERT_LE(layout.payload_bits + layout.prefix_bits, 64);
  ASSERT_TRUE(layout.prefix_bits == bits || layout.prefix_bits == unused + prefix ||
              layout.payload_bits + layout.prefix_bits == 64);
  ASSERT_LE(layout.prefix_bits, bits);
  ASSERT_LE(layout.prefix_bits, unused + prefix);
  ASSERT_EQ(layout.rest_bits, bits - layout.prefix_bits);

  // Sorted bits: at least one, and none of the payload's
  ASSERT_TRUE(layout.unused_bits == unused || layout.unused_bits == layout.prefix_bits - 1);
  ASSERT_GE(layout.sorted_bits, 1);
  ASSERT_LE(layout.sorted_bits, sorted);
  ASSERT_EQ(layout.key_bits(), layout.payload_bits + layout.prefix_bits - layout.unused_bits);
  ASSERT_EQ(layout.first_sorted_bit(), layout.key_bits() - layout.sorted_bits);
  ASSERT_GE(layout.first_sorted_bit(), layout.payload_bits);
  ASSERT_EQ(layout.sorts_prefix(), layout.sorted_bits == layout.prefix_bits - layout.unused_bits);
  ASSERT_TRUE(layout.sorts_prefix() || layout.sorted_bits == sorted);
}

TEST(KeyLayoutHost, HoldsEveryIndexAndAsManyBitsOfTheCodeAsFit) {
  for (const std::int64_t count : counts())
    for (int bits = 1; bits <= 63; ++bits)
      for (const int unused : {0, 2, 3})
        for (const int prefix : {32, 40})
          for (const int sorted : {32, 40}) {
            const KeyLayout layout = key_layout(count, bits, unused, prefix, sorted);
            ASSERT_NO_FATAL_FAILURE(expect_valid(layout, count, bits, unused, prefix, sorted))
                << count << " points, " << bits << " bits, " << unused << " unused, " << prefix << " " << sorted;
          }
}

TEST(KeyLayoutHost, OfTwoToThe23PointsInShift0) {
  const KeyLayout layout = key_layout(1 << 23, 63, 3, 40, 40);
  EXPECT_EQ(layout.payload_bits, 23);
  EXPECT_EQ(layout.prefix_bits, 41);  // all that the word has left
  EXPECT_EQ(layout.unused_bits, 3);
  EXPECT_EQ(layout.sorted_bits, 38);
  EXPECT_EQ(layout.rest_bits, 22);
  EXPECT_EQ(layout.key_bits(), 61);
  EXPECT_EQ(layout.first_sorted_bit(), 23);
  EXPECT_TRUE(layout.sorts_prefix());
}

TEST(KeyLayoutHost, CoarseBitsLeaveTheRestOfThePrefixUnsorted) {
  const KeyLayout layout = key_layout(1 << 23, 63, 0, 40, 32);
  EXPECT_EQ(layout.prefix_bits, 40);
  EXPECT_EQ(layout.first_sorted_bit(), 23 + 8);
  EXPECT_FALSE(layout.sorts_prefix());
}

TEST(ShiftHost, MovesEveryAxisByItsPartOfTheGrid) {
  for (const int d : {2, 3})
    for (const int shifts : {1, 3, 5, 9})
      for (int j = 0; j < shifts; ++j) {
        const Shift shift = shift_of(d, j, shifts);
        const std::uint64_t cells = d == 3 ? 1u << 20 : 1u << 30;
        EXPECT_EQ(shift.cells, j * cells / shifts);
        EXPECT_EQ(shift.dimensions, d);
        EXPECT_EQ(shift.bits, d == 3 ? 63 : 62);
        EXPECT_FALSE(is_hilbert(shift));
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
  EXPECT_TRUE(is_hilbert(hilbert_curve(2)));
  EXPECT_TRUE(is_hilbert(hilbert_curve(3)));
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

TEST(SortDepthHost, AnIncompleteOrderIsSortedByMoreBitsAndACompleteOneKeepsItsDepth) {
  const struct {
    SortDepth depth;
    bool is_packed;
    SortDepth deeper;
  } depths[] = {{SortDepth::coarse_bits, true, SortDepth::leading_bits},
                {SortDepth::leading_bits, true, SortDepth::all_bits},
                {SortDepth::all_bits, false, SortDepth::in_tree},
                {SortDepth::in_tree, false, SortDepth::in_tree}};
  for (const auto& [depth, is_packed, deeper] : depths)
    for (const bool tries_coarse_bits : {false, true}) {
      const SortPlan plan{depth, tries_coarse_bits};
      EXPECT_EQ(plan.is_packed(), is_packed);
      EXPECT_EQ(plan.may_coarsen(), tries_coarse_bits && depth == SortDepth::leading_bits);
      const SortVerdict incomplete = judge_order(plan, k_incomplete, k_many);
      EXPECT_FALSE(incomplete.complete);
      EXPECT_EQ(incomplete.next, (SortPlan{deeper, false}));
      const SortVerdict complete = judge_order({depth, false}, coarse_runs(0), k_many);
      EXPECT_TRUE(complete.complete);
      EXPECT_EQ(complete.next, (SortPlan{depth, false}));
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

/// A report on the samples of an order along the Hilbert curve.
OrderReport curve_report(std::uint32_t crowded, std::uint32_t coarse_neighbors, bool has_long_crowd = false) {
  return {has_long_crowd, 0, 0, crowded, coarse_neighbors};
}

TEST(SortDepthHost, AnOrderAlongTheCurveIsFineWhereFewSampledPointsAreCrowded) {
  constexpr std::uint32_t few = k_many / 16 / 64;
  for (const SortDepth depth : {SortDepth::coarse_bits, SortDepth::leading_bits, SortDepth::all_bits}) {
    EXPECT_TRUE(judge_curve(depth, curve_report(few, 0), k_many).is_fine);
    EXPECT_FALSE(judge_curve(depth, curve_report(few + 1, 0), k_many).is_fine);
    EXPECT_FALSE(judge_curve(depth, curve_report(0, 0, true), k_many).is_fine);
    EXPECT_FALSE(judge_curve(depth, curve_report(1u << 27, 0), std::int64_t{1} << 31).is_fine);  // times 64 it is 2³³
  }
  EXPECT_TRUE(judge_curve(SortDepth::in_tree, curve_report(few + 1, 0, true), k_many).is_fine);
  // All of few points are sampled
  EXPECT_TRUE(judge_curve(SortDepth::coarse_bits, curve_report(10, 0), 640).is_fine);
  EXPECT_FALSE(judge_curve(SortDepth::coarse_bits, curve_report(11, 0), 640).is_fine);
}

TEST(SortDepthHost, TheNextOrderAlongTheCurveIsDeeperAndAfterALongCrowdOfAllBits) {
  const auto next = [](SortDepth depth, bool has_long_crowd) {
    return judge_curve(depth, curve_report(k_many, 0, has_long_crowd), k_many).deeper;
  };
  EXPECT_EQ(next(SortDepth::coarse_bits, false), SortDepth::leading_bits);
  EXPECT_EQ(next(SortDepth::coarse_bits, true), SortDepth::all_bits);
  EXPECT_EQ(next(SortDepth::leading_bits, false), SortDepth::all_bits);
  EXPECT_EQ(next(SortDepth::leading_bits, true), SortDepth::all_bits);
  for (const bool has_long_crowd : {false, true})
    EXPECT_EQ(next(SortDepth::all_bits, has_long_crowd), SortDepth::in_tree);
}

TEST(SortDepthHost, QueriesAreSortedAsFinelyAsTheDataAreCrowded) {
  constexpr std::uint32_t few = k_many / 16 / 64;
  const auto of_queries = [](SortDepth depth, std::uint32_t coarse_neighbors) {
    return judge_curve(depth, curve_report(0, coarse_neighbors), k_many).of_queries;
  };
  for (const SortDepth depth : {SortDepth::coarse_bits, SortDepth::leading_bits}) {
    EXPECT_EQ(of_queries(depth, few), SortDepth::coarse_bits);
    EXPECT_EQ(of_queries(depth, few + 1), SortDepth::leading_bits);
  }
  for (const SortDepth depth : {SortDepth::all_bits, SortDepth::in_tree})
    for (const std::uint32_t neighbors : {0u, few + 1}) EXPECT_EQ(of_queries(depth, neighbors), depth);
}

}  // namespace
}  // namespace kann::cuda
