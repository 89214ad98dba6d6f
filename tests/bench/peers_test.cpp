// The peers are given the right work: else their times would tell nothing.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "ann_job.hpp"
#include "made_clouds.hpp"
#include "morton_order.hpp"
#include "nanoflann_job.hpp"

namespace kann::bench {
namespace {

const float* floats(const Points& points) { return std::get<Array<float>>(points.coordinates).data(); }

TEST(Peers, MortonOrderHoldsEveryRowOnceAndNeighboursTogether) {
  const Points cloud = make_cloud("uniform", 20000, 1);
  const auto order = morton_order(floats(cloud), cloud.size(), 2);
  std::vector<std::uint32_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);

  const auto length = [&](auto row) {
    double sum = 0;
    for (std::int64_t i = 1; i < cloud.size(); ++i)
      sum += std::hypot(cloud.at(row(i), 0) - cloud.at(row(i - 1), 0), cloud.at(row(i), 1) - cloud.at(row(i - 1), 1),
                        cloud.at(row(i), 2) - cloud.at(row(i - 1), 2));
    return sum;
  };
  EXPECT_LT(length([&](std::int64_t i) { return order[i]; }), 0.1 * length([](std::int64_t i) { return i; }));
}

TEST(Peers, MortonOrderOfIdenticalPointsIsThatOfTheRows) {
  const Points cloud = make_cloud("identical", 1000, 1);
  const auto order = morton_order(floats(cloud), cloud.size(), 3);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Peers, NanoflannFindsTheNearest) {
  const Points data = make_cloud("uniform", 3000, 1), queries = make_cloud("uniform", 100, 1, Role::queries);
  NanoflannJob job(data, queries, 2);
  job.build();
  job.sort_queries();
  job.query(3);
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    std::vector<float> distances;
    for (std::int64_t i = 0; i < data.size(); ++i)
      distances.push_back(static_cast<float>(std::hypot(
          data.at(i, 0) - queries.at(q, 0), data.at(i, 1) - queries.at(q, 1), data.at(i, 2) - queries.at(q, 2))));
    std::partial_sort(distances.begin(), distances.begin() + 3, distances.end());
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(job.neighbors().distances[3 * q + j], distances[j], 1e-6);
  }
}

TEST(Peers, NanoflannTellsWhatIsMissing) {
  const Points data = make_cloud("uniform", 2, 1);
  NanoflannJob job(data, data, 1);
  job.build();
  job.sort_queries();
  job.query(3);
  EXPECT_EQ(job.neighbors().ids[2], k_missing_id);
}

TEST(Peers, AnnRunsMoreThanOnce) {
  const Points data = make_cloud("uniform", 1000, 1);
  for (int run = 0; run < 2; ++run) {
    AnnJob job(data, data);
    EXPECT_GE(job.build(), 0);
    EXPECT_GE(job.query(4, 10), 0);
    EXPECT_GE(job.query(1), 0);
  }
}

}  // namespace
}  // namespace kann::bench
