// mean_distances(), densities() and find_outliers() against sums written out, and on what has no neighbours.
#include "kann/outliers.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "kann/error.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"

namespace kann::test {
namespace {

/// Rows of ascending distances, some short, some empty, one infinite.
Neighbors ugly_rows(std::int64_t queries, std::int64_t k, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> step(0, 1);
  Neighbors out{queries, k, {}, {}};
  for (std::int64_t q = 0; q < queries; ++q) {
    const std::int64_t count = q % 17 == 3 ? 0 : q % 5 == 1 ? k / 2 : k;
    float distance = 0;
    for (std::int64_t r = 0; r < k; ++r) {
      distance += q % 101 == 7 ? 0 : step(random);
      const bool is_past_float = q % 211 == 9 && r + 1 == count;
      out.ids.push_back(r < count ? static_cast<std::int32_t>(r) : k_missing_id);
      out.distances.push_back(r >= count || is_past_float ? k_infinity : distance);
    }
  }
  return out;
}

std::vector<long double> row_of(const Neighbors& n, std::int64_t q, std::int64_t k) {
  std::vector<long double> row;
  for (std::int64_t r = 0; r < k; ++r)
    if (n.ids[static_cast<std::size_t>(q * n.k + r)] != k_missing_id)
      row.push_back(n.distances[static_cast<std::size_t>(q * n.k + r)]);
  return row;
}

TEST(Outliers, MeanDistancesAreThoseOfTheRows) {
  const Neighbors n = ugly_rows(5000, 8, 1);
  for (const std::int64_t k : {1, 2, 3, 7, 8}) {
    const Array<float> means = mean_distances(n, k, 2);
    for (std::int64_t q = 0; q < n.queries; ++q) {
      const auto row = row_of(n, q, k);
      long double sum = 0;
      for (const long double d : row) sum += d;
      const float got = means[static_cast<std::size_t>(q)];
      if (row.empty())
        EXPECT_TRUE(std::isnan(got)) << q;
      else if (std::isinf(sum))
        EXPECT_EQ(got, k_infinity);
      else
        EXPECT_NEAR(got, static_cast<double>(sum / row.size()), 1e-6) << q;
    }
  }
  const Array<float> all = mean_distances(n, 0, 1), eight = mean_distances(n, 8, 3);
  EXPECT_EQ(std::memcmp(all.data(), eight.data(), all.size() * sizeof(float)), 0);
}

TEST(Outliers, MediansAndCountsAreThoseOfTheRows) {
  for (const std::int64_t k : {1, 2, 7, 8}) {
    const Neighbors n = ugly_rows(1000, k, 3);
    const Array<float> medians = median_distances(n, 2);
    const Array<std::int32_t> counts = neighbor_counts(n, 2);
    for (std::int64_t q = 0; q < n.queries; ++q) {
      std::vector<long double> row = row_of(n, q, k);
      const auto at = static_cast<std::size_t>(q), size = row.size();
      EXPECT_EQ(counts[at], std::ssize(row)) << q;
      if (row.empty())
        EXPECT_TRUE(std::isnan(medians[at])) << q;
      else
        EXPECT_EQ(medians[at], static_cast<float>((row[size / 2] + row[(size - 1) / 2]) / 2)) << q;
    }
  }
}

TEST(Outliers, DensitiesAreCountsPerBall) {
  const Neighbors n = ugly_rows(2000, 5, 2);
  for (const int dimensions : {2, 3}) {
    const Array<double> got = densities(n, dimensions, 2);
    for (std::int64_t q = 0; q < n.queries; ++q) {
      const auto row = row_of(n, q, n.k);
      const double value = got[static_cast<std::size_t>(q)];
      if (row.empty()) {
        EXPECT_TRUE(std::isnan(value));
        continue;
      }
      const long double r = row.back();
      const long double ball = dimensions == 2 ? std::numbers::pi_v<long double> * r * r
                                               : 4 * std::numbers::pi_v<long double> / 3 * r * r * r;
      const auto want = static_cast<double>(static_cast<long double>(row.size()) / ball);
      if (std::isinf(want))
        EXPECT_EQ(value, want);
      else
        EXPECT_NEAR(value, want, 1e-12 * want);
    }
  }
}

TEST(Outliers, AreThoseBeyondTheMeanPlusSigmaDeviations) {
  const Neighbors n = ugly_rows(10000, 6, 3);
  for (const double sigma : {0.0, 0.5, 1.0, 3.0}) {
    const OutlierResult got = find_outliers(n, {4, sigma}, 3);
    std::vector<long double> means(10000, std::numeric_limits<long double>::quiet_NaN());
    long double sum = 0, squares = 0;
    int count = 0;
    for (std::int64_t q = 0; q < n.queries; ++q) {
      const auto row = row_of(n, q, 4);
      if (row.empty()) continue;
      long double mean = 0;
      for (const long double d : row) mean += d / static_cast<long double>(row.size());
      means[static_cast<std::size_t>(q)] = mean;
      if (std::isinf(mean)) continue;
      sum += mean;
      ++count;
    }
    for (const long double m : means)
      if (std::isfinite(m)) squares += (m - sum / count) * (m - sum / count);
    EXPECT_NEAR(got.mean, static_cast<double>(sum / count), 1e-6);
    EXPECT_NEAR(got.deviation, static_cast<double>(std::sqrt(squares / (count - 1))), 1e-6);
    EXPECT_DOUBLE_EQ(got.threshold, got.mean + sigma * got.deviation);
    std::int64_t outliers = 0;
    for (std::size_t q = 0; q < means.size(); ++q) {
      if (std::abs(means[q] - got.threshold) < 1e-6) continue;
      EXPECT_EQ(got.is_outlier[q], !(means[q] <= got.threshold)) << q;
    }
    for (const auto flag : got.is_outlier) outliers += flag;
    EXPECT_EQ(got.outliers, outliers);
  }
}

TEST(Outliers, AreTheSameOnAnyNumberOfThreads) {
  const Neighbors n = ugly_rows(20001, 5, 4);
  const OutlierResult one = find_outliers(n, {5, 1}, 1);
  for (const int threads : {2, 3, 7}) {
    const OutlierResult many = find_outliers(n, {5, 1}, threads);
    EXPECT_EQ(one.is_outlier, many.is_outlier);
    EXPECT_EQ(one.threshold, many.threshold);
  }
}

/// A cloud with points far from all others: these are found, and hardly any else.
TEST(Outliers, AreFoundInACloudWithNoise) {
  Coordinates c = uniform(2000, 3, 5);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t a = 0; a < 3; ++a) c[100 * i * 3 + a] = static_cast<float>(3 + 2 * i + a);
  SearchOptions options;
  options.device.kind = DeviceKind::cpu;
  const OutlierResult got = find_outliers(search_self({3, c}, options).neighbors, {8, 2});
  EXPECT_EQ(got.outliers, 20);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(got.is_outlier[100 * i], 1);
}

TEST(Outliers, OfFewRows) {
  EXPECT_EQ(find_outliers({0, 4, {}, {}}, {4, 1}).outliers, 0);
  EXPECT_TRUE(std::isnan(find_outliers({0, 4, {}, {}}, {4, 1}).mean));
  const OutlierResult one = find_outliers({1, 1, {0}, {2.0f}}, {1, 1});
  EXPECT_EQ(one.outliers, 0);
  EXPECT_EQ(one.threshold, 2);
  EXPECT_EQ(one.deviation, 0);
  const OutlierResult none = find_outliers({1, 1, {k_missing_id}, {k_infinity}}, {1, 1});
  EXPECT_EQ(none.outliers, 1);
  const OutlierResult same = find_outliers({3, 1, {1, 2, 0}, {0.1f, 0.1f, 0.1f}}, {1, 0});
  EXPECT_EQ(same.outliers, 0);
}

TEST(Outliers, RefuseWhatDoesNotMatch) {
  const Neighbors n{2, 2, {0, 1, 0, 1}, {1, 2, 1, 2}};
  const auto kind_of = [](auto f) {
    try {
      f();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  EXPECT_EQ(kind_of([&] { find_outliers(n, {3, 1}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { find_outliers(n, {0, 1}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { find_outliers(n, {1, -1}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { find_outliers(n, {1, std::nan("")}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { find_outliers({2, 2, {0}, {1}}, {1, 1}); }), ErrorKind::bad_input);
  EXPECT_EQ(kind_of([&] { densities(n, 4); }), ErrorKind::bad_input);
}

}  // namespace
}  // namespace kann::test
