// mean_distances(), densities(), find_outliers() and LocalOutlierFactors against sums written out, the definitions from
// all pairs and scikit-learn, and on what has no neighbours.
#include "kann/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kann/search.hpp"

#include "clouds.hpp"
#include "products/statistics/near.hpp"
#include "refusal.hpp"

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
      const auto size = static_cast<long double>(row.size());
      expect_near(got, row.empty() ? std::nan("") : static_cast<double>(sum / size), 1e-6);
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
      const long double median = row.empty() ? std::nan("") : (row[size / 2] + row[(size - 1) / 2]) / 2;
      expect_near(medians[at], static_cast<float>(median), 0);
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
      expect_near(value, static_cast<double>(static_cast<long double>(row.size()) / ball), 1e-12);
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
  EXPECT_NE(refusal_of(ErrorKind::usage, [&] { find_outliers(n, {3, 1}); }), "");
  EXPECT_NE(refusal_of(ErrorKind::usage, [&] { find_outliers(n, {0, 1}); }), "");
  EXPECT_NE(refusal_of(ErrorKind::usage, [&] { find_outliers(n, {1, -1}); }), "");
  EXPECT_NE(refusal_of(ErrorKind::usage, [&] { find_outliers(n, {1, std::nan("")}); }), "");
  EXPECT_NE(refusal_of(ErrorKind::bad_input, [&] { find_outliers({2, 2, {0}, {1}}, {1, 1}); }), "");
  EXPECT_NE(refusal_of(ErrorKind::bad_input, [&] { densities(n, 4); }), "");
}

SearchOptions exact_of(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.device.kind = DeviceKind::cpu;
  return options;
}

/// The factors by definitions 3 to 7 of the paper, with the k nearest by (distance, number). With the term that
/// scikit-learn adds to the mean reachability distance.
std::vector<double> by_definition(const Points& points, std::size_t k) {
  const auto n = static_cast<std::size_t>(points.size());
  std::vector<std::vector<std::pair<double, std::size_t>>> near(n);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t o = 0; o < n; ++o) {
      double square = 0;
      for (int axis = 0; axis < points.dimensions; ++axis) {
        const double off =
            points.at(static_cast<std::int64_t>(p), axis) - points.at(static_cast<std::int64_t>(o), axis);
        square += off * off;
      }
      if (o != p) near[p].emplace_back(std::sqrt(square), o);
    }
    std::ranges::sort(near[p]);
    near[p].resize(std::min(k, near[p].size()));
  }
  const auto density = [&](std::size_t p) {
    double sum = 0;
    for (const auto& [distance, o] : near[p]) sum += std::max(near[o].back().first, distance);
    return 1 / (sum / static_cast<double>(near[p].size()) + 1e-10);
  };
  std::vector<double> factors;
  for (std::size_t p = 0; p < n; ++p) {
    double sum = 0;
    for (const auto& [distance, o] : near[p]) sum += density(o) / density(p);
    factors.push_back(near[p].empty() ? std::nan("") : sum / static_cast<double>(near[p].size()));
  }
  return factors;
}

void expect_factors(const Points& points, std::int64_t k, double tolerance) {
  const std::vector<double> want = by_definition(points, static_cast<std::size_t>(k));
  const Neighbors rows = search_self(points, exact_of(k)).neighbors;
  const LocalOutlierFactors factors(one_block(rows), 2);
  const Array<double> got = factors.of(rows, 2);
  for (std::size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE(std::to_string(i) + " of " + std::to_string(want.size()) + ", k " + std::to_string(k));
    expect_near(got[i], want[i], tolerance);
  }
}

TEST(LocalOutlierFactors, AreThoseOfTheDefinition) {
  for (const int dimensions : {2, 3})
    for (const std::int64_t k : {1, 5, 8})
      for (const std::int64_t n : {2L, k - 1, k, k + 1, 127L, 128L, 129L}) {
        if (n < 2) continue;
        expect_factors(to_points(uniform(n, dimensions, 1), dimensions), k, 1e-5);
        expect_factors(to_points(clusters(n, dimensions, 2), dimensions), k, 1e-4);
      }
}

/// A point alone has none, copies of a point are as dense as their neighbours, and one beside them is far outside.
TEST(LocalOutlierFactors, OfAPointAndOfCopies) {
  expect_factors({3, Array<float>{1, 2, 3}}, 4, 0);
  const Points copies{2, Array<float>{0, 0, 0, 0, 0, 0, 0, 0, 1, 0}};
  const Neighbors rows = search_self(copies, exact_of(2)).neighbors;
  const Array<double> got = LocalOutlierFactors(one_block(rows)).of(rows);
  EXPECT_EQ(got[0], 1);
  EXPECT_NEAR(got[4], 1e10, 1e4);
}

TEST(LocalOutlierFactors, AreThoseOfScikitLearn) {
  const Points points{2, Array<float>{0,     0.09,  -0.082, -0.267, -0.136, -0.297, 0.018, 0.402, -0.148, -0.186, 0.147,
                                      0.107, 0.032, -0.279, -0.009, 0.209,  1.656,  2.542, 1.099, 1.71,   1.158,  2.765,
                                      1.733, 3.271, 3.157,  2.813,  0.483,  2.461,  9,     -2,    0,      0}};
  const Neighbors rows = search_self(points, exact_of(3)).neighbors;
  const Array<double> got = LocalOutlierFactors(one_block(rows)).of(rows);
  // -LocalOutlierFactor(n_neighbors=3).fit(points).negative_outlier_factor_ of scikit-learn 1.9.1
  const double want[] = {1.01849357,  1.15546975,  1.01459017,  1.39019606,  0.927352844, 0.930562827,
                         0.927352844, 1.03061549,  0.981530579, 0.978916168, 1.15190059,  0.985876593,
                         1.47562061,  0.883430608, 6.73499836,  0.911119107};
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6 * want[i]) << i;
}

TEST(LocalOutlierFactors, RefuseRowsOfOtherPoints) {
  const Points few = to_points(uniform(5, 3, 1), 3), many = to_points(uniform(9, 3, 2), 3);
  const Neighbors rows = search(many, few, exact_of(3)).neighbors;
  const std::string message = refusal_of(ErrorKind::bad_input, [&] { LocalOutlierFactors(one_block(rows), 1); });
  EXPECT_NE(message.find("is none of the 5 points"), std::string::npos) << message;
}

}  // namespace
}  // namespace kann::test
