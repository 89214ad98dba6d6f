// Clusters by tiles and ranks are those of a search in memory, whatever the tiles are.
#include "flow/clusters_in_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/clusters.hpp"
#include "kann/error.hpp"

#include "brute_clusters.hpp"
#include "clouds.hpp"
#include "flow/ranks/threads.hpp"
#include "memory_source.hpp"
#include "part.hpp"

namespace kann::test {
namespace {

flow::FileSearchOptions options_of(const ClusterOptions& asked, std::int64_t tile_points, base::MemoryBudget& memory) {
  flow::FileSearchOptions options;
  options.search.radius = asked.radius;
  options.search.periodic = asked.periodic;
  options.search.invalid = asked.invalid;
  options.search.threads = 2;
  options.sizes = {.tile_points = tile_points,
                   .piece_queries = tile_points,
                   .block_rows = 77,
                   .read_points = 300,
                   .chunk_bytes = 1000};
  options.folder = std::filesystem::temp_directory_path();
  options.memory = &memory;
  return options;
}

template <class T>
void expect_clusters(const MemorySource<T>& data, ClusterOptions asked, std::int64_t tile_points,
                     const std::string& what) {
  asked.data_name = data.name();
  const ClusterResult want = cluster(data.view(), asked);
  for (const int count : {1, 2, 3})
    flow::run_on_threads(count, [&](flow::Communicator& ranks) {
      const std::string by = what + ", " + std::to_string(count) + " ranks, radius " + std::to_string(asked.radius) +
                             ", min_points " + std::to_string(asked.min_points);
      base::MemoryBudget memory;
      const auto options = options_of(asked, tile_points, memory);
      {
        const flow::FileClusters found =
            flow::clusters_in_tiles({data, nullptr, options, ranks}, asked.min_points, ranks);
        EXPECT_EQ(found.counts.clusters, want.counts.clusters) << by;
        EXPECT_EQ(found.counts.noise, want.counts.noise) << by;
        EXPECT_EQ(found.counts.largest, want.counts.largest) << by;
        EXPECT_EQ(found.report.ranks, count);
        if (ranks.rank() == 0) {
          EXPECT_EQ(ClusterLabels(found.labels.begin(), found.labels.end()),
                    ClusterLabels(want.labels.begin(), want.labels.end()))
              << by;
        }
      }
      EXPECT_EQ(memory.in_use(), 0) << by;
    });
}

template <class T>
double distance_of_pairs(const MemorySource<T>& data, std::size_t which) {
  Points points{data.dimensions(), Array<double>()};
  for (std::int64_t i = 0; i < std::min<std::int64_t>(data.size(), 200); ++i)
    for (int a = 0; a < data.dimensions(); ++a)
      std::get<Array<double>>(points.coordinates).push_back(data.view().at(i, a));
  const std::vector<double> radii = cluster_radii(points.size(), cluster_distances(points));
  return radii[std::min(which, radii.size() - 1)];
}

TEST(ClustersInTiles, AreThoseOfASearchInMemory) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t tile_points : {60, 300})
        for (const std::int64_t min_points : {1, 5}) {
          if (!part.takes_next()) continue;
          const MemorySource<float> data(d, kind.make(600, d, 1));
          const std::string what = kind.name + " " + std::to_string(d) + "-D, tiles of " + std::to_string(tile_points);
          for (const std::size_t which : {0, 1, 2})
            expect_clusters(data, {.radius = distance_of_pairs(data, which), .min_points = min_points}, tile_points,
                            what);
        }
}

TEST(ClustersInTiles, TakeAnyNumbersOfPointsAndRadii) {
  Part part;
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 63, 64, 65})
    for (const double radius : {1e-9, .2, 1e300})
      for (const std::int64_t min_points : {1, 5})
        if (part.takes_next())
          expect_clusters(MemorySource<float>(3, uniform(n, 3, 3)), {.radius = radius, .min_points = min_points}, 8,
                          std::to_string(n) + " points");
}

TEST(ClustersInTiles, TakeFloat64AndPointsThatAreSkipped) {
  Random r(5);
  std::vector<double> c;
  for (int i = 0; i < 2100; ++i) c.push_back((i % 3 == 0 ? 500000 : 5200000) + 100 * r.uniform());
  for (const std::size_t i : {0u, 301u, 2099u}) c[i] = NAN;
  const MemorySource<double> data(3, c);
  for (const std::int64_t min_points : {1, 4})
    expect_clusters(data, {.radius = 11, .min_points = min_points, .invalid = InvalidPoints::skip}, 100, "map");
}

TEST(ClustersInTiles, GoOverTheFacesOfAPeriodicBox) {
  Part part;
  const std::vector<double> boxes[] = {{1, 1, 1}, {.7, 2.5, 0}};
  for (const CloudKind& kind : {all_clouds()[0], all_clouds()[1]})
    for (const int d : {2, 3})
      for (std::vector<double> box : boxes)
        for (const double radius : {.04, .1, .3}) {
          if (!part.takes_next()) continue;
          box.resize(static_cast<std::size_t>(d));
          for (const std::int64_t min_points : {1, 6})
            expect_clusters(MemorySource<float>(d, kind.make(250, d, 1)),
                            {.radius = radius, .min_points = min_points, .periodic = box}, 60, kind.name);
        }
}

TEST(ClustersInTiles, RefuseInvalidPoints) {
  base::MemoryBudget memory;
  std::vector<float> c = uniform(100, 3, 1);
  c[30] = NAN;
  const MemorySource<float> data(3, c);
  flow::run_on_threads(1, [&](flow::Communicator& ranks) {
    EXPECT_THROW(flow::clusters_in_tiles({data, nullptr, options_of({.radius = 1}, 20, memory), ranks}, 1, ranks),
                 Error);
  });
}

}  // namespace
}  // namespace kann::test
