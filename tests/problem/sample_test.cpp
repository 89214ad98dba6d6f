#include "problem/sample.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace kann::problem {
namespace {

TEST(Sample, IsAllNumbersWhereThereAreNoMore) {
  for (const std::int64_t count : {0, 1, 2, 9, 10}) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(sample_numbers(count, 10), all);
  }
}

TEST(Sample, IsAscendingDistinctAndBelowTheCount) {
  for (const std::int64_t count : {11, 12, 20, 1000, 1 << 20, 2147483647}) {
    const auto sample = sample_numbers(count, 10);
    ASSERT_EQ(sample.size(), 10u);
    EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
    EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), 10u);
    EXPECT_LT(sample.back(), count);
  }
}

TEST(Sample, LeavesOutOneOfOneMore) {
  const auto sample = sample_numbers(1025, k_sample_size);
  ASSERT_EQ(sample.size(), 1024u);
  EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), 1024u);
  EXPECT_LE(sample.back(), 1024);
}

TEST(Sample, IsTheSameEachTime) { EXPECT_EQ(sample_numbers(100000, 1024), sample_numbers(100000, 1024)); }

TEST(Sample, IsOfAnyCount) {
  const auto sample = sample_numbers(std::int64_t{1} << 40, 1000);
  EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), 1000u);
  EXPECT_GT(sample.back(), std::int64_t{1} << 39);
  EXPECT_LT(sample.back(), std::int64_t{1} << 40);
}

/// As rows of a raster or of a scanner with some beams have one.
TEST(Sample, HasNoStride) {
  for (const std::int64_t count : {1 << 16, 1 << 20, 1000000, 2147483647}) {
    const auto sample = sample_numbers(count, 1024);
    std::set<std::int64_t> gaps;
    for (std::size_t i = 1; i < sample.size(); ++i) gaps.insert(sample[i] - sample[i - 1]);
    EXPECT_GT(gaps.size(), 150u) << count;
    for (const std::int64_t period : {2, 3, 8, 16, 64}) {  // five standard deviations
      std::vector<double> of_residue(period);
      for (const std::int64_t number : sample) ++of_residue[number % period];
      const double expected = 1024.0 / static_cast<double>(period);
      for (const double found : of_residue) EXPECT_LT(std::abs(found - expected), 5 * std::sqrt(expected)) << period;
    }
    double sum = 0;
    for (const std::int64_t number : sample) sum += static_cast<double>(number);
    EXPECT_NEAR(sum / 1024 / static_cast<double>(count), 0.5, 5 * 0.29 / 32);
  }
}

}  // namespace
}  // namespace kann::problem
