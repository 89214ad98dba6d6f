// distance_statistics() against sorted columns.
#include "kann/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "products/statistics/result_rows.hpp"

namespace kann::test {
namespace {

/// The smallest value that `percent` of the sorted ones do not exceed, tried one by one.
double percentile(const std::vector<double>& sorted, double percent) {
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (100.0 * static_cast<double>(i + 1) >= percent * static_cast<double>(sorted.size())) return sorted[i];
  return std::nan("");
}

void expect_near(double got, double want) {
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(got));
  else if (std::isinf(want))
    EXPECT_EQ(got, want);
  else
    EXPECT_NEAR(got, want, 1e-12 * std::abs(want));
}

void expect_equal(double got, double want) { EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want))); }

/// To the last bit: sums are made in the same order.
void expect_the_same_in_blocks(const Neighbors& n, int dimensions, const DistanceStatistics& want) {
  for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{1'000}, {5'000, 1, 0, 9'000}}) {
    const DistanceStatistics got = distance_statistics(in_blocks(n, sizes), dimensions, 3);
    EXPECT_EQ(got.empty_rows, want.empty_rows);
    expect_equal(got.density.p5, want.density.p5);
    expect_equal(got.density.median, want.density.median);
    expect_equal(got.density.p95, want.density.p95);
    ASSERT_EQ(got.ranks.size(), want.ranks.size());
    for (std::size_t i = 0; i < got.ranks.size(); ++i) {
      EXPECT_EQ(got.ranks[i].rank, want.ranks[i].rank);
      EXPECT_EQ(got.ranks[i].queries, want.ranks[i].queries);
      expect_equal(got.ranks[i].mean, want.ranks[i].mean);
      expect_equal(got.ranks[i].median, want.ranks[i].median);
      expect_equal(got.ranks[i].p99, want.ranks[i].p99);
      expect_equal(got.ranks[i].max, want.ranks[i].max);
    }
  }
}

void expect_that_of_sorted_columns(const Neighbors& n, int dimensions) {
  const DistanceStatistics got = distance_statistics(n, dimensions, 2);
  expect_the_same_in_blocks(n, dimensions, got);
  for (const RankStatistics& rank : got.ranks) {
    std::vector<double> column;
    double sum = 0;
    for (std::int64_t q = 0; q < n.queries; ++q)
      if (const std::int64_t i = q * n.k + rank.rank - 1; n.ids[i] != k_missing_id) {
        column.push_back(n.distances[i]);
        sum += n.distances[i];
      }
    std::sort(column.begin(), column.end());
    EXPECT_EQ(rank.queries, std::ssize(column));
    expect_near(rank.mean, sum / static_cast<double>(column.size()));
    expect_near(rank.median, percentile(column, 50));
    expect_near(rank.p95, percentile(column, 95));
    expect_near(rank.p99, percentile(column, 99));
    expect_near(rank.max, column.empty() ? std::nan("") : column.back());
    const double mean = sum / static_cast<double>(column.size());
    double squares = 0, off = 0;
    for (const double x : column) squares += x * x, off += (x - mean) * (x - mean);
    const double count = static_cast<double>(column.size());
    if (std::isfinite(mean))
      EXPECT_NEAR(rank.rms, std::sqrt(squares / count), 1e-6 * rank.rms);
    else
      expect_near(rank.rms, mean);
    const double deviation = column.size() == 1 ? 0 : std::sqrt(off / (count - 1));
    if (std::isfinite(mean))
      EXPECT_NEAR(rank.deviation, deviation, 1e-6 * deviation + 1e-12 * mean);
    else
      EXPECT_TRUE(std::isnan(rank.deviation));
  }

  std::vector<double> densities;
  std::int64_t empty = 0, coincident = 0;
  for (std::int64_t q = 0; q < n.queries; ++q) {
    const auto begin = n.ids.begin() + q * n.k;
    const double m = static_cast<double>(std::count_if(begin, begin + n.k, [](auto id) { return id != k_missing_id; }));
    if (m == 0) {
      ++empty;
      continue;
    }
    const double r = n.distances[q * n.k + static_cast<std::int64_t>(m) - 1];
    if (r == 0) {
      ++coincident;
      continue;
    }
    densities.push_back(m / (dimensions == 3 ? 4 * std::numbers::pi / 3 * r * r * r : std::numbers::pi * r * r));
  }
  std::sort(densities.rbegin(), densities.rend());  // a percentile of spacings, which are in the other order
  EXPECT_EQ(got.empty_rows, empty);
  EXPECT_EQ(got.density.coincident, coincident);
  for (const auto& [value, percent] : {std::pair{got.density.p95, 5}, {got.density.median, 50}, {got.density.p5, 95}}) {
    const double want = percentile(densities, percent);
    if (std::isnan(want))
      EXPECT_TRUE(std::isnan(value));
    else if (std::isinf(want))
      EXPECT_EQ(value, want);
    else
      EXPECT_NEAR(value, want, 1e-5 * want);  // the spacing is a float32
  }
}

TEST(DistanceStatistics, IsThatOfSortedColumns) {
  Random r(3);
  const std::vector<std::function<float()>> draws{[&] { return static_cast<float>(r.uniform()); },
                                                  [&] { return static_cast<float>(r.below(3)); },
                                                  [&] { return static_cast<float>(std::exp(80 * r.uniform() - 40)); },
                                                  [&] { return r.below(9) ? 1.5f : k_infinity; },
                                                  [] { return 0.f; },
                                                  [&] { return std::nextafter(1.f, r.below(2) ? 0.f : 2.f); }};
  for (const auto& draw : draws)
    for (const std::int64_t queries : {0, 1, 2, 19, 20, 21, 100, 101, 4095, 4097, 9000})
      for (const std::int64_t k : {0, 1, 2, 8}) {
        SCOPED_TRACE(std::to_string(queries) + " x " + std::to_string(k));
        for (const int d : {2, 3}) {
          expect_that_of_sorted_columns(rows(queries, k, draw, [&](auto) { return k; }), d);
          expect_that_of_sorted_columns(
              rows(queries, k, draw, [&](auto) { return static_cast<std::int64_t>(r.below(k + 1)); }), d);
        }
      }
}

TEST(DistanceStatistics, ListsFewRanksOfLongRows) {
  Random r(5);
  const auto ranks = [&](std::int64_t k) {
    std::vector<std::int64_t> out;
    const Neighbors n = rows(
        30, k, [&] { return static_cast<float>(r.uniform()); }, [&](auto) { return k; });
    for (const RankStatistics& rank : distance_statistics(n, 3).ranks) out.push_back(rank.rank);
    expect_that_of_sorted_columns(n, 3);
    return out;
  };
  EXPECT_EQ(ranks(3), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(ranks(16).size(), 16u);
  EXPECT_EQ(ranks(17).back(), 17);
  EXPECT_EQ(ranks(32).size(), 17u);
  const std::vector<std::int64_t> many = ranks(1000);
  EXPECT_EQ(std::vector(many.begin() + 15, many.end()), (std::vector<std::int64_t>{16, 32, 64, 128, 256, 512, 1000}));
}

TEST(DistanceStatistics, AreTheSameOnAnyNumberOfThreads) {
  Random r(7);
  const Neighbors n = rows(
      50'000, 3, [&] { return static_cast<float>(std::exp(r.uniform())); }, [](auto) { return 3; });
  const DistanceStatistics one = distance_statistics(n, 3, 1);
  for (const int threads : {2, 3, 7, 64}) {
    const DistanceStatistics many = distance_statistics(n, 3, threads);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(many.ranks[i].mean, one.ranks[i].mean);
      EXPECT_EQ(many.ranks[i].p99, one.ranks[i].p99);
    }
    EXPECT_EQ(many.density.median, one.density.median);
  }
}

/// A lattice of one point per unit: the sphere of the 6 nearest has radius 1.
TEST(DistanceStatistics, DensityIsThatOfTheBallOfTheNeighbors) {
  const Neighbors n{1, 6, {1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1}};
  EXPECT_NEAR(distance_statistics(n, 3).density.median, 6 / (4 * std::numbers::pi / 3), 1e-6);
  EXPECT_NEAR(distance_statistics(n, 2).density.median, 6 / std::numbers::pi, 1e-6);
}

TEST(DistanceStatistics, RefusesWhatIsNoResult) {
  const auto message = [](const Neighbors& n, int dimensions) {
    try {
      distance_statistics(n, dimensions);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({1, 1, {0}, {0}}, 4), "statistics: points of 4 coordinates");
  EXPECT_EQ(message({2, 1, {0}, {0}}, 3), "statistics: 2 rows of 1 neighbours do not match 1 ids and 1 distances");
  const RowBlocks most{(std::int64_t{1} << 39) + 1, 1, true, [](const RowBlocks::Sink&) { FAIL(); }};
  try {
    distance_statistics(most, 3);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(), "statistics: more than 549755813888 rows");
  }
}

}  // namespace
}  // namespace kann::test
