// kann::cluster(): what the labels are by their definition in special clouds, and what is refused; fuzz/search compares
// those of any cloud with the definition.
#include "kann/clusters.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "kann/radius.hpp"

#include "brute_clusters.hpp"
#include "clouds.hpp"
#include "float64_clouds.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

ClusterLabels labels_of(const ClusterResult& result) { return {result.labels.begin(), result.labels.end()}; }

std::string refusal_to_cluster(const Points& points, const ClusterOptions& options, ErrorKind kind = ErrorKind::usage) {
  return refusal_of(kind, [&] { cluster(points, options); });
}

/// Points a step apart along a line, for whose distances the radius is chosen to the last bit.
TEST(Clusters, DecideAsARadiusDoes) {
  for (const double step : {1.0, 0.1, 1e-200, 1e-310, 1e100}) {
    Doubles c;
    for (int i = 0; i < 40; ++i) c.insert(c.end(), {i * step, 0.0});
    const Points points = to_points(c, 2);
    for (const double radius : {std::nextafter(step, 0.0), step, std::nextafter(step, 2 * step)}) {
      SearchOptions options;
      options.radius = radius;
      options.include_self = true;
      const NeighborLists lists = search_radius_self(points, options).lists;
      for (const std::int64_t min_points : {1, 2, 3}) {
        const SqDistance by_lists = [&](std::int64_t i, std::int64_t j) {
          const auto begin = lists.ids.begin() + lists.begins[i], end = lists.ids.begin() + lists.begins[i + 1];
          return std::find(begin, end, j) == end ? 3.0 : 0.5;  // of equally near ones, the smallest
        };
        const ClusterResult found = cluster(points, {.radius = radius, .min_points = min_points});
        EXPECT_EQ(labels_of(found), brute_clusters(points.size(), by_lists, 1, min_points))
            << step << ' ' << radius << ' ' << min_points;
      }
    }
  }
}

TEST(Clusters, GiveABorderPointToItsNearestCorePoint) {
  // Two rows of core points; between them one point nearer to the second, and one in the middle of both
  const Points nearer = to_points(Doubles{0, 0, 1, 0, 2, 0, 3.9, 0, 5.5, 0, 6.5, 0, 7.5, 0}, 2);
  EXPECT_EQ(labels_of(cluster(nearer, {.radius = 2, .min_points = 4})), (ClusterLabels{0, 0, 0, 1, 1, 1, 1}));
  const Points middle = to_points(Doubles{10, 0, 8, 0, 9, 0, 12, 0, 14, 0, 15, 0, 16, 0}, 2);
  const ClusterResult found = cluster(middle, {.radius = 2, .min_points = 4});
  EXPECT_EQ(labels_of(found), (ClusterLabels{0, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(found.counts.clusters, 2);
  EXPECT_EQ(found.counts.largest, 4);
  EXPECT_EQ(found.counts.noise, 0);
}

TEST(Clusters, CountSkippedPointsAsNoise) {
  const Points points{2, Array<float>{0, 0, k_nan, 0, 1, 0, 9, 9, 0, k_infinity}};
  const ClusterResult found = cluster(points, {.radius = 1, .min_points = 2, .invalid = InvalidPoints::skip});
  EXPECT_EQ(labels_of(found), (ClusterLabels{0, -1, 0, -1, -1}));
  EXPECT_EQ(found.counts.noise, 3);
  EXPECT_EQ(found.report.data_skipped, 2);
  EXPECT_NE(refusal_to_cluster(points, {.radius = 1}, ErrorKind::bad_input), "");
}

TEST(Clusters, AreNumberedByTheirSmallestPointEvenIfItIsABorder) {
  const Points points = to_points(Doubles{9, 0, 1, 0, 0, 0, 2, 0, 10, 0, 11, 0}, 2);
  EXPECT_EQ(labels_of(cluster(points, {.radius = 1, .min_points = 3})), (ClusterLabels{0, 1, 1, 1, 0, 0}));
}

/// All pairs of these would take hours.
TEST(Clusters, OfCrowdedPlacesTakeNoLongerThanOthers) {
  constexpr std::int64_t n = 1 << 18;
  for (const double width : {0.0, 1e-3, 0.4}) {
    Random random(2);
    const Coordinates crowd = make_cloud(
        n, 3, [&](std::int64_t i, int a) { return width * random.uniform() + (a == 0 && i % 2 == 1 ? 1.5 : 0); });
    for (const std::int64_t min_points : {std::int64_t{1}, std::int64_t{10}, n / 2, n / 2 + 1}) {
      const ClusterCounts counts = cluster(to_points(crowd, 3), {.radius = 1, .min_points = min_points}).counts;
      const std::int64_t expected = min_points > n / 2 ? 0 : 2;
      EXPECT_EQ(counts.clusters, expected);
      EXPECT_EQ(counts.noise, expected == 0 ? n : 0);
    }
  }
}

TEST(Clusters, RefuseWhatMakesNone) {
  const Points points = to_points(uniform(10, 2, 1), 2);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal_to_cluster(points, {.radius = 0}), "--cluster expects a finite radius greater than 0, got '0'");
  EXPECT_EQ(refusal_to_cluster(points, {.radius = -1}), "--cluster expects a finite radius greater than 0, got '-1'");
  EXPECT_EQ(refusal_to_cluster(points, {.radius = nan}), "--cluster expects a finite radius greater than 0, got 'nan'");
  EXPECT_EQ(refusal_to_cluster(points, {.radius = infinity}),
            "--cluster expects a finite radius greater than 0, got 'inf'");
  EXPECT_EQ(refusal_to_cluster(points, {.radius = 1, .min_points = 0}),
            "--cluster expects at least 1 point within the radius, got '0'");
  EXPECT_EQ(refusal_to_cluster(points, {.radius = 0.5, .periodic = {1, 1}}),
            "--cluster 0.5: --periodic must repeat after more than twice that, got 1");
  EXPECT_EQ(refusal_to_cluster(points, {.radius = 0.1, .periodic = {1, 1, 1}}),
            "--periodic has 3 sides, but data has 2 coordinates per point (need a side for each)");
}

TEST(Clusters, AreRefusedOnADeviceThatIsMissing) {
  ClusterOptions options{.radius = 0.5};
  options.device.kind = DeviceKind::cuda;
  options.device.index = 999;
  EXPECT_NE(refusal_to_cluster(to_points(uniform(10, 2, 1), 2), options, ErrorKind::no_device), "");
}

TEST(Clusters, WarnWhereAllIsNoise) {
  const Points points = to_points(uniform(10, 2, 1), 2);
  const ClusterResult found = cluster(points, {.radius = 0.001, .min_points = 11});
  EXPECT_EQ(found.counts.noise, 10);
  EXPECT_EQ(found.report.warnings,
            std::vector<std::string>{"all points are noise: none has 11 points within 0.001, itself among them; take a "
                                     "larger radius or fewer points"});
  EXPECT_TRUE(cluster(to_points(Coordinates(), 2), {.radius = 1}).report.warnings.empty());
}

}  // namespace
}  // namespace kann::test
