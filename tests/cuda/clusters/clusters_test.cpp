// Clusters on a GPU: the labels of the definition, and the bytes of the CPU.
#include "kann/clusters.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "brute_clusters.hpp"
#include "clouds.hpp"
#include "cuda/clusters/backend.hpp"
#include "cuda/gpu.hpp"
#include "float64_clouds.hpp"
#include "part.hpp"
#include "search/clusters/number_clusters.hpp"

namespace kann::test {
namespace {

class ClustersOnDevice : public GpuTest {};
class LargeClustersOnDevice : public GpuTest {};

ClusterOptions on(DeviceKind device, ClusterOptions options) {
  options.device.kind = device;
  return options;
}

ClusterLabels labels_on_device(const Points& points, const ClusterOptions& options) {
  const ClusterResult result = cluster(points, on(DeviceKind::cuda, options));
  EXPECT_EQ(result.report.device.kind, DeviceKind::cuda);
  return {result.labels.begin(), result.labels.end()};
}

/// For each radius with each number of points.
void expect_clusters_of_cpu(const std::string& name, const Points& points, const std::vector<double>& radii,
                            const std::vector<std::int64_t>& min_points, ClusterOptions options = {}) {
  for (const double radius : radii)
    for (const std::int64_t least : min_points) {
      options.radius = radius;
      options.min_points = least;
      const ClusterResult expected = cluster(points, on(DeviceKind::cpu, options));
      EXPECT_EQ(labels_on_device(points, options), ClusterLabels(expected.labels.begin(), expected.labels.end()))
          << name << ", n " << points.size() << ", radius " << radius << ", min_points " << least;
    }
}

TEST_F(ClustersOnDevice, AreThoseOfTheDefinition) {
  Part part;
  for (const auto& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 33, 129}) {
        if (!part.takes_next()) continue;
        const Points points = to_points(kind.make(n, d, 7 + n), d);
        const SqDistance sq_distance = cluster_distances(points);
        for (const double radius : cluster_radii(n, sq_distance))
          for (const std::int64_t min_points : {std::int64_t{1}, std::int64_t{2}, std::int64_t{9}, n + 1})
            ASSERT_EQ(labels_on_device(points, {.radius = radius, .min_points = min_points}),
                      brute_clusters(n, sq_distance, radius, min_points))
                << kind.name << ", n " << n << ", radius " << radius << ", min_points " << min_points;
      }
}

/// A radius within which a point of a uniform cloud would have so many neighbours.
double radius_for(const Points& points, double neighbors) {
  double sides = 1;
  for (int a = 0; a < points.dimensions; ++a) {
    double lo = points.at(0, a), hi = lo;
    for (std::int64_t i = 0; i < points.size(); ++i) {
      lo = std::min<double>(lo, points.at(i, a));
      hi = std::max<double>(hi, points.at(i, a));
    }
    sides *= std::pow(std::max(hi - lo, 1e-30), 1.0 / points.dimensions);
  }
  return sides * std::pow(neighbors / static_cast<double>(points.size()), 1.0 / points.dimensions);
}

TEST_F(ClustersOnDevice, AreThoseOfTheCpu) {
  Part part;
  for (const auto& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {4095, 4096, 4097, 30'000}) {
        if (!part.takes_next()) continue;
        const Points points = to_points(kind.make(n, d, n), d);
        expect_clusters_of_cpu(kind.name, points, {radius_for(points, 0.5), radius_for(points, 20)}, {1, 5, 50});
      }
}

TEST_F(ClustersOnDevice, AreThoseOfTheCpuInFloat64) {
  for (const int d : {2, 3})
    for (const auto& make : {fine, map_tile, two_sites, corridor, sphere_clusters})
      for (const std::int64_t n : {129, 10'000}) {
        const Points points = to_points(make(n, d, 5), d);
        expect_clusters_of_cpu("float64", points, {radius_for(points, 1), radius_for(points, 10)}, {1, 4});
      }
}

/// Points a step apart along a line, for whose distances the radius is chosen to the last bit.
TEST_F(ClustersOnDevice, DecideAsTheCpuToTheLastBit) {
  for (const double step : {1.0, 0.1, 1e-200, 1e-310, 1e100}) {
    Doubles c;
    for (int i = 0; i < 40; ++i) c.insert(c.end(), {i * step, 0.0});
    expect_clusters_of_cpu("steps", to_points(c, 2), {std::nextafter(step, 0.0), step, std::nextafter(step, 2 * step)},
                           {1, 2, 3});
  }
}

TEST_F(ClustersOnDevice, GoOverTheFacesOfAPeriodicBox) {
  for (const int d : {2, 3}) {
    Random random(3);
    const Points points =
        to_points(make_cloud(5000, d, [&](auto, int) { return std::floor(64 * random.uniform()) / 4; }), d);
    ClusterOptions options;
    options.periodic.assign(static_cast<std::size_t>(d), 16);
    options.periodic[1] = 0;
    expect_clusters_of_cpu("box", points, {0.25, 0.5, 1.5}, {1, 4, 40}, options);
  }
}

TEST_F(ClustersOnDevice, AreThoseOfTheCpuOnTheSkyAndWithoutInvalidPoints) {
  Random random(8);
  Coordinates c =
      make_cloud(5000, 2, [&](auto, int a) { return a == 0 ? 360 * random.uniform() : 180 * random.uniform() - 90; });
  ClusterOptions on_sky, skipping;
  on_sky.sky = AngleUnit::deg;
  expect_clusters_of_cpu("sky", to_points(c, 2), {1.5}, {3}, on_sky);
  c[7] = k_nan;
  c[9998] = k_infinity;
  skipping.invalid = InvalidPoints::skip;
  expect_clusters_of_cpu("invalid points", to_points(c, 2), {3}, {1, 3}, skipping);
}

/// Both steps for each of two tiles, with numbers of any order, and the other tile around it in several blocks.
ClusterLabels labels_in_tiles(const Points& cloud, const problem::ClusterRule& rule) {
  const std::int64_t n = cloud.size();
  const auto device = cuda::cluster_device(rule, true, 0);
  std::vector<double> coordinates[2];
  std::vector<std::int64_t> numbers[2];
  for (std::int64_t i = n; i-- > 0;) {
    const int tile = cloud.at(i, 0) < cloud.at(n / 2, 0);
    numbers[tile].push_back(i);
    for (int a = 0; a < cloud.dimensions; ++a) coordinates[tile].push_back(cloud.at(i, a));
  }
  problem::PointFlags is_core(n);
  problem::DisjointSets sets(n);
  struct Part {
    problem::ClusteredPoints cloud;
    std::vector<std::int32_t> places;
    operator problem::ChosenPoints() const { return {cloud, places}; }
  };
  const auto part_of = [&](int tile, const std::function<bool(std::int64_t)>& keep, int block = 0, int blocks = 1) {
    Part part{{PointsView(cloud.dimensions, std::span<const double>(coordinates[tile])), numbers[tile]}, {}};
    for (std::size_t i = 0; i < numbers[tile].size(); ++i)
      if (keep(numbers[tile][i]) && static_cast<int>(i) % blocks == block)
        part.places.push_back(static_cast<std::int32_t>(i));
    return part;
  };
  const auto around = [&](int tile, const std::function<bool(std::int64_t)>& keep) {
    return [=](const std::function<void(const problem::ChosenPoints&)>& f) {
      for (int block = 0; block < 3; ++block) f(part_of(1 - tile, keep, block, 3));
    };
  };
  const auto all = [](std::int64_t) { return true; };
  const auto core = [&](std::int64_t i) { return is_core[i]; };
  for (const int tile : {0, 1}) device->find_core_points(part_of(tile, all), around(tile, all), is_core);
  for (std::int64_t i = 0; i < n; ++i)
    if (!is_core[i]) sets.parents()[i] = -1;
  for (const int tile : {0, 1})
    device->link(part_of(tile, core), part_of(tile, [&](std::int64_t i) { return !core(i); }), around(tile, core),
                 sets);
  detail::number_clusters(sets.parents());
  return {sets.parents().begin(), sets.parents().end()};
}

TEST_F(ClustersOnDevice, GoOverTheBordersOfTiles) {
  for (const auto& kind : all_clouds())
    for (const std::int64_t n : {2, 17, 129}) {
      const Points points = to_points(kind.make(n, 3, n), 3);
      const SqDistance sq_distance = cluster_distances(points);
      for (const double radius : cluster_radii(n, sq_distance))
        for (const std::int64_t min_points : {2, 5})
          ASSERT_EQ(labels_in_tiles(points, {radius, min_points, 2}),
                    brute_clusters(n, sq_distance, radius, min_points))
              << kind.name << ", n " << n << ", radius " << radius << ", min_points " << min_points;
    }
}

TEST_F(ClustersOnDevice, ReportTheDevice) {
  const Points points = to_points(uniform(10'000, 3, 1), 3);
  const SearchReport report = cluster(points, on(DeviceKind::cuda, {.radius = 0.05, .min_points = 3})).report;
  EXPECT_GT(report.device.memory_bytes, 0);
  EXPECT_GT(report.device_peak_bytes, 10'000 * 16);
  EXPECT_LT(report.device_peak_bytes, 10'000 * 1'000);
  EXPECT_GT(report.steps.upload, 0);
  EXPECT_GT(report.steps.sort, 0);
  EXPECT_GT(report.steps.boxes, 0);
  EXPECT_GT(report.steps.select, 0);
  EXPECT_GT(report.steps.download, 0);
}

/// All pairs of these would take minutes.
TEST_F(LargeClustersOnDevice, OfCrowdedPlacesTakeNoLongerThanOthers) {
  constexpr std::int64_t n = 1 << 20;
  for (const double width : {0.0, 1e-3, 0.4}) {
    Random random(2);
    const Points crowd = to_points(
        make_cloud(n, 3,
                   [&](std::int64_t i, int a) { return width * random.uniform() + (a == 0 && i % 2 == 1 ? 1.5 : 0); }),
        3);
    for (const std::int64_t min_points : {std::int64_t{1}, std::int64_t{10}, n / 2, n / 2 + 1})
      EXPECT_EQ(cluster(crowd, on(DeviceKind::cuda, {.radius = 1, .min_points = min_points})).counts.clusters,
                min_points > n / 2 ? 0 : 2);
  }
}

TEST_F(LargeClustersOnDevice, OfAChainAndOfFarScalesAreThoseOfTheCpu) {
  constexpr std::int64_t n = 300'000;
  const Points chain =
      to_points(make_cloud(n, 2, [](std::int64_t i, int a) { return a == 0 ? static_cast<double>(i * 7 % n) : 0; }), 2);
  expect_clusters_of_cpu("chain", chain, {0.5, 1, 1e3, 1e9}, {1, 3});
  Random random(6);  // of each power of two as many
  const Points scales = to_points(
      make_doubles(n, 3,
                   [&](auto, int) { return std::ldexp(random.uniform() - 0.5, -static_cast<int>(random.below(60))); }),
      3);
  expect_clusters_of_cpu("scales", scales, {1e-15, 1e-9, 1e-3}, {1, 8});
}

}  // namespace
}  // namespace kann::test
