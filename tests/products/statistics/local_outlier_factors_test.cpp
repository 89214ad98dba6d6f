// LocalOutlierFactors against the definitions, from all distances of all pairs, and against scikit-learn.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/outliers.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"

namespace kann::test {
namespace {

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
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i;
    else
      EXPECT_NEAR(got[i], want[i], tolerance * want[i]) << i << " of " << want.size() << ", k " << k;
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
  try {
    LocalOutlierFactors(one_block(rows), 1);
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_NE(std::string(e.what()).find("is none of the 5 points"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace kann::test
