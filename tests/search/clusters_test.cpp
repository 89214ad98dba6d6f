// kann::cluster(): labels are those of the definition, at any density, on any number of threads.
#include "kann/clusters.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "kann/error.hpp"
#include "kann/radius.hpp"
#include "kann/sky.hpp"

#include "brute_clusters.hpp"
#include "clouds.hpp"
#include "float64_clouds.hpp"
#include "part.hpp"

namespace kann::test {
namespace {

ClusterLabels labels_of(const ClusterResult& result) { return {result.labels.begin(), result.labels.end()}; }

void expect_defined_clusters(const Points& points, const std::string& name) {
  const SqDistance sq_distance = cluster_distances(points);
  for (const double radius : cluster_radii(points.size(), sq_distance))
    for (const std::int64_t min_points : {1, 2, 3, 9}) {
      const ClusterLabels expected = brute_clusters(points.size(), sq_distance, radius, min_points);
      for (const int threads : {1, 3}) {
        const ClusterResult found = cluster(points, {.radius = radius, .min_points = min_points, .threads = threads});
        ASSERT_EQ(labels_of(found), expected) << name << ", n " << points.size() << ", radius " << radius
                                              << ", min_points " << min_points << ", threads " << threads;
        EXPECT_EQ(found.counts.noise, std::ranges::count(expected, -1));
        EXPECT_EQ(found.counts.clusters, expected.empty() ? 0 : std::ranges::max(expected) + 1);
        std::int64_t largest = 0;
        for (std::int64_t c = 0; c < found.counts.clusters; ++c)
          largest = std::max<std::int64_t>(largest, std::ranges::count(expected, c));
        EXPECT_EQ(found.counts.largest, largest);
      }
    }
}

TEST(Clusters, AreThoseOfTheDefinition) {
  Part part;
  for (const auto& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 33, 127, 128, 129, 260})
        if (part.takes_next()) expect_defined_clusters(to_points(kind.make(n, d, 1 + n), d), kind.name);
}

TEST(Clusters, AreThoseOfTheDefinitionInFloat64) {
  for (const int d : {2, 3})
    for (const auto& make : {fine, map_tile, two_sites}) {
      expect_defined_clusters(to_points(make(129, d, 5), d), "float64");
    }
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
  EXPECT_EQ(labels_of(cluster(middle, {.radius = 2, .min_points = 4})), (ClusterLabels{0, 0, 0, 0, 1, 1, 1}));
}

TEST(Clusters, AreNumberedByTheirSmallestPointEvenIfItIsABorder) {
  const Points points = to_points(Doubles{9, 0, 1, 0, 0, 0, 2, 0, 10, 0, 11, 0}, 2);
  EXPECT_EQ(labels_of(cluster(points, {.radius = 1, .min_points = 3})), (ClusterLabels{0, 1, 1, 1, 0, 0}));
}

/// A lattice in a box of its own size: all differences, over the faces too, are exact.
TEST(Clusters, GoOverTheFacesOfAPeriodicBox) {
  for (const int d : {2, 3}) {
    Random random(3);
    constexpr double side = 16;
    const Points points =
        to_points(make_cloud(300, d, [&](auto, int) { return std::floor(random.uniform() * side); }), d);
    const SqDistance sq_distance = [&](std::int64_t i, std::int64_t j) {
      double sum = 0;
      for (int a = 0; a < d; ++a) {
        const double x = std::abs(points.at(i, a) - points.at(j, a));
        const double nearest = a == 1 ? x : std::min(x, side - x);  // the second axis is not periodic
        sum += nearest * nearest;
      }
      return sum;
    };
    for (const double radius : {1.0, 1.5, 2.0, 5.0})
      for (const std::int64_t min_points : {1, 2, 4, 12}) {
        std::vector<double> sides(static_cast<std::size_t>(d), side);
        sides[1] = 0;
        const ClusterResult found =
            cluster(points, {.radius = radius, .min_points = min_points, .periodic = sides, .threads = 3});
        ASSERT_EQ(labels_of(found), brute_clusters(points.size(), sq_distance, radius, min_points))
            << d << ' ' << radius << ' ' << min_points;
      }
  }
}

TEST(Clusters, OnTheSkyAreThoseOfTheUnitVectors) {
  Random random(8);
  Doubles c;
  for (int i = 0; i < 300; ++i) c.insert(c.end(), {360 * random.uniform(), 180 * random.uniform() - 90});
  const Points points = to_points(c, 2), vectors = on_sphere(points, "sky");
  const ClusterResult found = cluster(points, {.radius = 6, .min_points = 3, .sky = AngleUnit::deg});
  EXPECT_EQ(labels_of(found), brute_clusters(300, cluster_distances(vectors), chord(6, AngleUnit::deg), 3));
  EXPECT_GT(found.counts.clusters, 2);
}

TEST(Clusters, LeaveOutInvalidPoints) {
  Points points = to_points(uniform(200, 3, 4), 3);
  Array<float>& c = std::get<Array<float>>(points.coordinates);
  for (const int i : {0, 17, 199}) c[3 * i + i % 3] = i == 17 ? k_nan : k_infinity;
  const ClusterResult found = cluster(points, {.radius = 0.2, .min_points = 4, .invalid = InvalidPoints::skip});
  EXPECT_EQ(labels_of(found), brute_clusters(200, cluster_distances(points), 0.2, 4));
  EXPECT_EQ(found.report.data_skipped, 3);
  EXPECT_THROW(cluster(points, {.radius = 0.2}), Error);
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

std::string refusal_to_cluster(const Points& points, const ClusterOptions& options) {
  try {
    cluster(points, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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
            "--cluster 0.5 needs a --periodic that repeats after more than twice that, got 1");
  EXPECT_EQ(refusal_to_cluster(points, {.radius = 0.1, .periodic = {1, 1, 1}}),
            "--periodic has 3 sides, but data has 2 coordinates per point (need a side for each)");
}

TEST(Clusters, AreRefusedOnADeviceThatIsMissing) {
  ClusterOptions options{.radius = 0.5};
  options.device.kind = DeviceKind::cuda;
  options.device.index = 999;
  try {
    cluster(to_points(uniform(10, 2, 1), 2), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::no_device) << error.what();
  }
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
