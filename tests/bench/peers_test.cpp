// The peers search correctly: otherwise their times would mean nothing.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "common/ann_job.hpp"
#include "common/made_clouds.hpp"
#include "common/morton_order.hpp"
#include "common/nanoflann_job.hpp"

namespace kann::bench {
namespace {

const float* first_float(const Points& points) { return std::get<Array<float>>(points.coordinates).data(); }

TEST(Peers, MortonOrderHoldsEveryRowOnceAndNeighboursTogether) {
  const Points cloud = make_cloud("uniform", 20000, 1);
  const auto order = morton_order(first_float(cloud), cloud.size(), 2);
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

TEST(Peers, MortonOrderOfIdenticalPointsIsTheOrderOfTheRows) {
  const Points cloud = make_cloud("identical", 1000, 1);
  const auto order = morton_order(first_float(cloud), cloud.size(), 3);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

/// Row r of `found` has the distances of the nearest points to query r · `stride`, by brute force.
void expect_the_nearest(const Neighbors& found, const Points& data, const Points& queries, std::int64_t stride) {
  ASSERT_EQ(found.queries * stride, queries.size());
  ASSERT_EQ(static_cast<std::int64_t>(found.distances.size()), found.queries * found.k);
  for (std::int64_t row = 0; row < found.queries; ++row) {
    const std::int64_t q = row * stride;
    std::vector<float> distances;
    for (std::int64_t i = 0; i < data.size(); ++i)
      distances.push_back(static_cast<float>(std::hypot(
          data.at(i, 0) - queries.at(q, 0), data.at(i, 1) - queries.at(q, 1), data.at(i, 2) - queries.at(q, 2))));
    std::vector<float> nearest = distances;
    std::partial_sort(nearest.begin(), nearest.begin() + found.k, nearest.end());
    for (std::int64_t j = 0; j < found.k; ++j) {
      EXPECT_NEAR(found.distances[row * found.k + j], nearest[j], 1e-6);
      EXPECT_NEAR(distances[found.ids[row * found.k + j]], nearest[j], 1e-6);
    }
  }
}

TEST(Peers, NanoflannReturnsTheNearest) {
  const Points data = make_cloud("uniform", 3000, 1), queries = make_cloud("uniform", 100, 1, Role::queries);
  NanoflannJob job(data, queries, 2);
  job.build();
  job.sort_queries();
  job.query(3);
  expect_the_nearest(job.neighbors(), data, queries, 1);
}

TEST(Peers, NanoflannMarksMissingNeighbours) {
  const Points data = make_cloud("uniform", 2, 1);
  NanoflannJob job(data, data, 1);
  job.build();
  job.sort_queries();
  job.query(3);
  EXPECT_EQ(job.neighbors().ids[2], k_missing_id);
}

TEST(Peers, AnnReturnsTheNearestOfAllQueriesOrOfSome) {
  const Points data = make_cloud("uniform", 1000, 1), queries = make_cloud("uniform", 100, 1, Role::queries);
  for (int run = 0; run < 2; ++run) {  // ANN keeps global state: a second job must work too
    AnnJob job(data, queries);
    job.build();
    job.query(4, 10);
    expect_the_nearest(job.neighbors(), data, queries, 10);
    job.query(1);
    expect_the_nearest(job.neighbors(), data, queries, 1);
  }
}

}  // namespace
}  // namespace kann::bench
