// The clustering on the CPU lets its caller end it.
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "clouds.hpp"
#include "cpu/clusters/cluster_device.hpp"
#include "problem/cluster_device.hpp"

namespace kann::test {
namespace {

/// Both steps, each of them with a block of points around the tile.
void cluster(const Points& points, const problem::ClusterRule& rule) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(points.size()));
  std::iota(all.begin(), all.end(), 0);
  const std::span<const std::int32_t> places(all), half = places.first(all.size() / 2);
  const problem::ClusteredPoints cloud{points, {}};
  const auto around = [&](const auto& f) { f(problem::ChosenPoints{cloud, places.last(all.size() - half.size())}); };
  const auto device = cpu::cluster_device(rule, false);
  problem::PointFlags is_core(points.size());
  problem::DisjointSets sets(points.size());
  device->find_core_points({cloud, half}, around, is_core);
  device->link({cloud, half}, {cloud, half}, around, sets);
}

TEST(CpuClusters, AreCheckedOnTheThreadOfTheCaller) {
  const Points points = to_points(uniform(40'000, 3, 1), 3);
  for (const int threads : {1, 3}) {
    int checks = 0;
    cluster(points,
            {.radius = 0.02, .min_points = 9, .threads = threads, .check = [&, caller = std::this_thread::get_id()] {
               EXPECT_EQ(std::this_thread::get_id(), caller);
               ++checks;
             }});
    EXPECT_GE(checks, threads == 1 ? 4 * 40 : 1);  // in four loops, after 1,024 points at most
  }
}

TEST(CpuClusters, EndWhereTheirCheckThrows) {
  const Points points = to_points(uniform(3000, 3, 1), 3);
  for (const int threads : {1, 3}) {
    bool is_over = false;
    for (int last = 0; !is_over; ++last) {
      int checks = 0;
      const auto check = [&] {
        if (checks++ == last) throw std::runtime_error("ended");
      };
      try {
        cluster(points, {.radius = 0.1, .min_points = 9, .threads = threads, .check = check});
        is_over = true;
      } catch (const std::runtime_error&) {
        EXPECT_EQ(checks, last + 1);
      }
    }
  }
}

}  // namespace
}  // namespace kann::test
