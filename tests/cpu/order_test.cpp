// Orders and ranks against std::sort, where leading bits of keys tie and where they do not.
#include "cpu/order/order.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "clouds.hpp"
#include "cpu/vector/vector_target.hpp"
#include "geometry/hilbert.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {
namespace {

/// Codes that differ in their last bits alone but for `groups` values of the others; sorted where `sorted`.
Array<std::uint64_t> codes_of(std::int64_t n, std::uint64_t groups, std::uint64_t last_bits, bool sorted) {
  test::Random random(41);
  Array<std::uint64_t> codes;
  for (std::int64_t i = 0; i < n; ++i)
    codes.push_back((random.below(groups) << 40 | random.below(last_bits)) & 0x0fff'ffff'ffff'ffffu);
  if (sorted) std::sort(codes.begin(), codes.end());
  return codes;
}

void expect_sorted_places(const Array<std::uint64_t>& codes, std::uint64_t shift, int threads) {
  std::vector<std::uint32_t> want(codes.size());
  std::iota(want.begin(), want.end(), 0u);
  std::ranges::stable_sort(want, {}, [&](std::uint32_t place) { return add_shift<3>(codes[place], shift); });
  ArgSorter sorter;
  sorter.sort<3>(codes, shift, threads);
  ASSERT_EQ(sorter.size(), static_cast<std::int64_t>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(sorter[i], want[i]) << i << " of " << want.size();
}

TEST(ArgSorter, SortsByTheWholeCodeThenThePlace) {
  for (const std::int64_t n : {0, 1, 2, 1000, 70000})
    for (const std::uint64_t groups : {1, 3, 50000})
      for (const std::uint64_t last_bits : {1, 7, 1 << 20})
        for (const int threads : {1, 4})
          for (const int shift : {0, 1})
            ASSERT_NO_FATAL_FAILURE(expect_sorted_places(codes_of(n, groups, last_bits, false),
                                                         shift_code<3>(shift_cells<3>(shift, 3)), threads));
}

TEST(ArgSorter, SortsCodesAndKeepsThem) {
  for (const std::int64_t n : {0, 1, 2, 1000, 4097, 70000})
    for (const int threads : {1, 4}) {
      test::Random random(43);
      Array<std::uint64_t> codes;
      const int bits = ArgSorter::bits_beside_indices(n);
      for (std::int64_t i = 0; i < n; ++i)
        codes.push_back(random.below(9) << (bits - 4) | random.below(std::uint64_t{1} << (bits - 4)));
      std::vector<std::uint32_t> want(codes.size());
      std::iota(want.begin(), want.end(), 0u);
      std::ranges::stable_sort(want, {}, [&](std::uint32_t place) { return codes[place]; });
      ArgSorter sorter;
      const auto write_codes = [&](std::int64_t begin, std::int64_t end, std::uint64_t* to) {
        std::copy(codes.begin() + begin, codes.begin() + end, to);
      };
      bool is_encoded = false;
      sorter.sort_codes(n, threads, write_codes, [&] { is_encoded = true; });
      ASSERT_TRUE(is_encoded);
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(sorter[i], want[i]);
        ASSERT_EQ(sorter.code(i), codes[want[i]]);
      }
    }
}

template <int D>
void expect_hilbert_codes(int levels) {
  Grid grid;
  grid.inv = k_cell_bits<D> == 20 ? 0x1p20f : 0x1p30f;
  for (const std::int64_t n : {0, 1, 63, 64, 65, 500})
    for (const auto& kind : test::all_clouds()) {
      const auto points = kind.make(n, D, 44);
      std::vector<std::uint64_t> codes(n);
      for (const VectorTarget level : vector_targets()) {
        const VectorTargetScope scope(level);
        encode_hilbert<D>(points.data(), n, grid, levels, codes.data());
        for (std::int64_t i = 0; i < n; ++i)
          ASSERT_EQ(codes[i], hilbert_code<D>(&points[i * D], grid) >> D * (k_cell_bits<D> - levels)) << kind.name;
      }
    }
}

TEST(Codes, HilbertCodesOfManyAreThoseOfEach) {
  for (const int levels : {1, 2, 9, 10, 11, 14, 20}) ASSERT_NO_FATAL_FAILURE(expect_hilbert_codes<3>(levels));
  for (const int levels : {1, 14, 15, 16, 22, 30}) ASSERT_NO_FATAL_FAILURE(expect_hilbert_codes<2>(levels));
}

TEST(ParallelSort, SortsOnAnyNumberOfThreadsAtEveryLevel) {
  test::Random random(42);
  for (const VectorTarget level : vector_targets()) {
    const VectorTargetScope scope(level);
    for (const std::int64_t n : {0, 1, 2, 100, 16383, 16384, 100001})
      for (const int threads : {1, 2, 5, 200}) {
        Array<std::uint64_t> keys, scratch;
        for (std::int64_t i = 0; i < n; ++i)
          keys.push_back(random.below(1 << 30) << 20 | static_cast<std::uint64_t>(i));
        auto want = keys;
        std::sort(want.begin(), want.end());
        parallel_sort(keys, scratch, threads);
        ASSERT_EQ(keys, want) << "n=" << n << " threads=" << threads;
      }
  }
}

/// Whatever share of the keys has the same leading bits, and whatever a sample of them shows.
TEST(ParallelSort, SortsKeysThatAreNotEven) {
  test::Random random(43);
  constexpr std::int64_t n = 50000;
  for (const std::uint64_t leading : {1, 2, 3, 100, 1 << 20})
    for (const std::int64_t one_in : {2, 100, 40000})  // has a greater key
      for (const int threads : {2, 5, 200}) {
        Array<std::uint64_t> keys, scratch;
        for (std::int64_t i = 0; i < n; ++i)
          keys.push_back((i % one_in == one_in - 1 ? random.below(1u << 31) : random.below(leading)) << 33 |
                         static_cast<std::uint64_t>(i));
        auto want = keys;
        std::sort(want.begin(), want.end());
        parallel_sort(keys, scratch, threads);
        ASSERT_EQ(keys, want) << leading << " leading bits, one in " << one_in << ", threads=" << threads;
      }
}

/// The ranks of the data by their keys are those of queries at the same places.
TEST(RankData, CountsTheKeysUpToEachPoints) {
  for (const std::int64_t n : {0, 1, 2, 7, 1000})
    for (const std::uint64_t groups : {1, 3, 50000})
      for (const int threads : {1, 3, 2000}) {
        const auto codes = codes_of(n, groups, 2, false);
        ArgSorter order;
        order.sort<3>(codes, 0, 1);
        Array<std::uint64_t> keys;
        gather_keys<3>(codes, order, 0, keys, 1);
        Array<std::uint32_t> places, ranks, sorted_ranks;
        for (std::int64_t i = 0; i < n; ++i) places.push_back(order[i]);
        rank_data(keys, places.data(), ranks, threads);
        rank_data(keys, nullptr, sorted_ranks, threads);
        for (std::int64_t i = 0; i < n; ++i) {
          ASSERT_EQ(ranks[i], std::upper_bound(keys.begin(), keys.end(), codes[i]) - keys.begin());
          ASSERT_EQ(sorted_ranks[i], std::upper_bound(keys.begin(), keys.end(), keys[i]) - keys.begin());
        }
      }
}

TEST(RankTable, CountsTheKeysUpToAQuerys) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 1000})
    for (const std::uint64_t groups : {1, 3, 50000})
      for (const std::uint64_t last_bits : {1, 7, 1 << 20}) {
        const auto sorted = codes_of(n, groups, last_bits, true), queries = codes_of(99, groups + 1, last_bits, false);
        RankTable table;
        table.build(sorted, 2);
        std::vector<std::uint32_t> ranks(queries.size());
        find_ranks<3>(queries.data(), 99, 0, table, ranks.data());
        for (std::size_t i = 0; i < ranks.size(); ++i)
          ASSERT_EQ(ranks[i], std::upper_bound(sorted.begin(), sorted.end(), queries[i]) - sorted.begin());
      }
}

/// As they can be if the coordinates change while they are put in order.
TEST(RankTable, OfKeysThatAreNotSortedHasAnyRanks) {
  for (const std::int64_t n : {1, 2, 9, 1000}) {
    auto keys = codes_of(n, 50000, 1 << 20, false);
    keys.back() = 5;
    RankTable table;
    table.build(keys, 2);
    std::vector<std::uint32_t> ranks(keys.size());
    find_ranks<3>(keys.data(), n, 0, table, ranks.data());
    for (const std::uint32_t rank : ranks) ASSERT_LE(rank, n);
  }
}

}  // namespace
}  // namespace kann::cpu
