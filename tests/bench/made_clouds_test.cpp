#include "common/made_clouds.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <stdlib.h>

#include "kann/error.hpp"

namespace kann::bench {
namespace {

const Array<float>& floats(const Points& points) { return std::get<Array<float>>(points.coordinates); }

std::vector<std::string> all_kinds() {
  std::vector<std::string> kinds = k_clouds;
  kinds.insert(kinds.end(), k_ugly_clouds.begin(), k_ugly_clouds.end());
  kinds.insert(kinds.end(), k_hard_clouds.begin(), k_hard_clouds.end());
  kinds.insert(kinds.end(), k_planar_clouds.begin(), k_planar_clouds.end());
  return kinds;
}

TEST(Clouds, AreTheSameOnAnyNumberOfThreads) {
  for (const std::string& kind : all_kinds()) {
    setenv("OMP_NUM_THREADS", "1", 1);
    const Points alone = make_cloud(kind, 10000, 7);
    setenv("OMP_NUM_THREADS", "3", 1);
    EXPECT_EQ(floats(make_cloud(kind, 10000, 7)), floats(alone)) << kind;
    unsetenv("OMP_NUM_THREADS");
  }
}

TEST(Clouds, AreFiniteAndDependOnSeedAndRole) {
  for (const std::string& kind : all_kinds()) {
    const Points cloud = make_cloud(kind, 5000, 1);
    EXPECT_EQ(cloud.size(), 5000);
    EXPECT_TRUE(std::all_of(floats(cloud).begin(), floats(cloud).end(), [](float x) { return std::isfinite(x); }))
        << kind;
    if (kind == "identical") continue;
    EXPECT_NE(floats(make_cloud(kind, 5000, 2)), floats(cloud)) << kind;
    EXPECT_NE(floats(make_cloud(kind, 5000, 1, Role::queries)), floats(cloud)) << kind;
  }
}

TEST(Clouds, PlanarOnesHaveTwoCoordinates) {
  for (const std::string& kind : all_kinds())
    EXPECT_EQ(make_cloud(kind, 10, 1).dimensions, std::ranges::count(k_planar_clouds, kind) ? 2 : 3) << kind;
}

TEST(Clouds, StreetsLeaveMostOfTheSquareEmpty) {
  const Points streets = make_cloud("streets", 1000000, 3);
  std::set<std::pair<int, int>> occupied;  // of 10⁶ cells; a uniform cloud has points in 632,000
  for (std::int64_t i = 0; i < streets.size(); ++i)
    occupied.emplace(std::floor(1000 * streets.at(i, 0)), std::floor(1000 * streets.at(i, 1)));
  EXPECT_LT(occupied.size(), 350000u);
}

TEST(Clouds, UniformFillsTheCubeEvenly) {
  const Points cloud = make_cloud("uniform", 80000, 3);
  std::vector<int> octants(8);
  for (std::int64_t i = 0; i < cloud.size(); ++i)
    ++octants[(cloud.at(i, 0) < 0.5) + 2 * (cloud.at(i, 1) < 0.5) + 4 * (cloud.at(i, 2) < 0.5)];
  for (const int count : octants) EXPECT_NEAR(count, 10000, 500);  // more than five standard deviations
}

TEST(Clouds, QueriesLieInTheClustersOfTheData) {
  const Points data = make_cloud("clusters", 20000, 5), queries = make_cloud("clusters", 200, 5, Role::queries);
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    double nearest = 1e9;
    for (std::int64_t i = 0; i < data.size(); ++i)
      nearest = std::min(nearest, std::hypot(data.at(i, 0) - queries.at(q, 0), data.at(i, 1) - queries.at(q, 1),
                                             data.at(i, 2) - queries.at(q, 2)));
    EXPECT_LT(nearest, 0.06);  // six standard deviations of a cluster, which has 20 points
  }
}

TEST(Clouds, OutlierHasOneFarPoint) {
  const Points cloud = make_cloud("outlier", 1000, 1);
  EXPECT_EQ(std::count(floats(cloud).begin(), floats(cloud).end(), 1e6f), 3);
}

TEST(Clouds, UnknownKindIsRefused) { EXPECT_THROW(make_cloud("cheese", 10, 1), Error); }

}  // namespace
}  // namespace kann::bench
