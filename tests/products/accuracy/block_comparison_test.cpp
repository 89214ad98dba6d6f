// Rows that come in blocks are compared as compare() compares all rows in memory, right and wrong ones.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/compare.hpp"

#include "block_comparison_support.hpp"
#include "clouds.hpp"
#include "part.hpp"
#include "products/accuracy/periodic_answer.hpp"

namespace kann::test {
namespace {

void expect_same(const Accuracy& got, const Accuracy& want) {
  EXPECT_EQ(got.judged, want.judged);
  EXPECT_EQ(got.expected, want.expected);
  EXPECT_EQ(std::isnan(got.recall), std::isnan(want.recall));
  if (!std::isnan(want.recall)) {
    EXPECT_EQ(got.recall, want.recall);
  }
  EXPECT_EQ(std::isnan(got.distance_ratio), std::isnan(want.distance_ratio));
  if (!std::isnan(want.distance_ratio)) {
    EXPECT_EQ(got.distance_ratio, want.distance_ratio);
  }
  EXPECT_EQ(got.all_correct, want.all_correct);
  EXPECT_EQ(got.identical, want.identical);
  EXPECT_EQ(got.first_different, want.first_different);
  EXPECT_EQ(got.nearer, want.nearer);
  EXPECT_EQ(got.first_nearer, want.first_nearer);
  EXPECT_EQ(got.faulty, want.faulty);
  EXPECT_EQ(got.first_faulty, want.first_faulty);
  EXPECT_EQ(got.first_fault, want.first_fault);
}

/// Returns what compare() says.
Accuracy expect_as_in_memory(const Comparison& c) {
  const Accuracy want = compare(c.data, c.queries, c.result, c.reference, c.options);
  for (const std::int64_t block : {std::int64_t{1}, std::int64_t{7}, std::int64_t{100}, c.queries.size() + 1}) {
    SCOPED_TRACE("blocks of " + std::to_string(block));
    expect_same(compared_in_blocks(c, block), want);
  }
  return want;
}

/// What the comparisons of a test have found: each should be there.
struct Seen {
  std::int64_t faulty = 0, nearer = 0, different = 0, identical = 0, not_judged = 0;

  void add(const Accuracy& a, std::int64_t queries) {
    faulty += a.faulty;
    nearer += a.nearer;
    different += a.judged - a.identical;
    identical += a.identical;
    not_judged += queries - a.judged;
  }
  void expect_all() const {
    for (const std::int64_t count : {faulty, nearer, different, identical, not_judged}) EXPECT_GT(count, 0);
  }
};

TEST(BlockComparison, IsThatOfCompare) {
  Seen seen;
  Part part;
  std::uint64_t seed = 0;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const bool is_float64 : {false, true})
        for (const bool is_self : {false, true})
          for (const std::int64_t reference_k : {3, 5, 9}) {
            ++seed;
            if (!part.takes_next()) continue;
            SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " seed=" + std::to_string(seed));
            Comparison c;
            c.data = as_given(kind.make(130, d, seed), d, is_float64, seed);
            c.queries = is_self ? c.data : as_given(kind.make(115, d, seed + 1), d, seed % 2, seed + 1);
            c.options = {.self_query = is_self, .include_self = seed % 5 == 0, .exact = seed % 3 > 0, .threads = 2};
            if (seed % 4 == 0) c.options.radius = .3;
            if (seed % 7 == 0) c.options.tolerance = .1;
            const bool drops_self = is_self && !c.options.include_self;
            c.result = exact_answer(c.data, c.queries, 5, drops_self);
            c.reference = exact_answer(c.data, c.queries, reference_k, drops_self && seed % 2);
            spoil(c.result, c.data.size(), seed);
            weaken(c.reference, c.data.size(), seed);
            seen.add(expect_as_in_memory(c), c.queries.size());
          }
  seen.expect_all();
}

TEST(BlockComparison, IsThatOfCompareInAPeriodicBox) {
  Seen seen;
  Part part;
  std::uint64_t seed = 0;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::vector<double>& box : {std::vector<double>{1, 1, 1}, {.3, 0, .3}, {0, 7, 0}, {1e-3, .5, 100}}) {
        ++seed;
        if (!part.takes_next()) continue;
        SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " seed=" + std::to_string(seed));
        const std::vector<double> sides(box.begin(), box.begin() + d);
        const bool is_self = seed % 3 == 0;
        Comparison c;
        c.data = as_given(kind.make(120, d, seed), d, seed % 2, seed);
        c.queries = is_self ? c.data : as_given(kind.make(90, d, seed + 1), d, seed % 2, seed + 1);
        c.options = {.self_query = is_self, .exact = true, .periodic = sides, .threads = 2};
        if (seed % 5 == 0) c.options.radius = .2;
        const Points& queries = is_self ? c.data : c.queries;
        c.result = periodic_answer(c.data, queries, sides, 5, is_self);
        c.reference = periodic_answer(c.data, queries, sides, 6, is_self);
        spoil(c.result, c.data.size(), seed);
        weaken(c.reference, c.data.size(), seed);
        seen.add(expect_as_in_memory(c), c.queries.size());
      }
  seen.expect_all();
}

TEST(BlockComparison, TakesAnyNumbersOfPointsAndNeighbours) {
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6})
    for (const std::int64_t m : {0, 1, 2, 6})
      for (const std::int64_t k : {0, 1, 5, 6})
        for (const std::int64_t reference_k : {0, 1, 5, 9}) {
          SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k) + " reference " +
                       std::to_string(reference_k));
          Comparison c;
          c.data = to_points(uniform(n, 3, 3), 3);
          c.queries = to_points(uniform(m, 3, 4), 3);
          c.result = exact_answer(c.data, c.queries, k);
          c.reference = exact_answer(c.data, c.queries, reference_k);
          c.options.exact = true;
          EXPECT_EQ(expect_as_in_memory(c).faulty, 0);
          c.queries = c.data;
          c.result = exact_answer(c.data, c.queries, k, true);
          c.reference = exact_answer(c.data, c.queries, reference_k);
          c.options.self_query = true;
          EXPECT_EQ(expect_as_in_memory(c).faulty, 0);
        }
}

TEST(BlockComparison, JudgesTheSampleOfCompare) {
  Comparison c = usual();
  for (const std::int64_t sample : {1, 17, 150, 1000}) {
    c.options.sample = sample;
    EXPECT_GT(expect_as_in_memory(c).judged, 0);
  }
}

TEST(BlockComparison, TakesIdsPastInt32) {
  const Comparison c = usual();
  const Accuracy want = compare(c.data, c.queries, c.result, c.reference, c.options);
  for (const std::int64_t block : {1, 7, 300}) {
    Accuracy got = compared_in_blocks(c, block, std::int64_t{1} << 40);
    EXPECT_NE(got.first_fault, want.first_fault);  // it names an id
    EXPECT_NE(got.first_fault.find(" id 1099511"), std::string::npos) << got.first_fault;
    got.first_fault = want.first_fault;
    expect_same(got, want);
  }
}

/// Whether a neighbour is missing depends on all of the data, not on what a block holds of them.
TEST(BlockComparison, FindsRowsThatAreTooShort) {
  Comparison c = usual(6);
  for (const std::int64_t k : {4, 5, 6, 7}) {
    c.result = exact_answer(c.data, c.queries, k);
    c.reference = exact_answer(c.data, c.queries, 1);
    c.options.exact = true;
    std::int64_t shortened = 0;
    for (std::int64_t q = 0; q < c.queries.size(); q += 3) {
      std::fill_n(c.result.ids.begin() + q * k, k, k_missing_id);
      std::fill_n(c.result.distances.begin() + q * k, k, k_infinity);
      shortened += is_finite(c.queries, q);
    }
    EXPECT_EQ(expect_as_in_memory(c).faulty, shortened);
  }
}

TEST(BlockComparison, ReportsTheProgressOfAllBlocks) {
  Comparison c = usual();
  std::vector<double> fractions;
  c.options.threads = 1;
  c.options.on_progress = [&](double fraction) { fractions.push_back(fraction); };
  compared_in_blocks(c, 50);
  ASSERT_GE(fractions.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_LE(fractions.front(), .25);
  EXPECT_EQ(fractions.back(), 1);
}

}  // namespace
}  // namespace kann::test
