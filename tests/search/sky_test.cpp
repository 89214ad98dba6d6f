// SearchOptions::sky: rows are those of brute force with Vincenty's formula in long double.
#include "kann/sky.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/radius.hpp"

#include "clouds.hpp"
#include "cpu_search.hpp"
#include "great_circle.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

using Row = std::vector<std::pair<float, std::int32_t>>;

/// Directions all over the sphere, and what is hard there: close pairs, poles, the meridian, opposite points.
Points sky(std::int64_t count, std::uint64_t seed) {
  Random r(seed);
  Array<double> angles;
  const auto add = [&](double longitude, double latitude) {
    angles.push_back(longitude);
    angles.push_back(latitude);
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const double longitude = 360 * r.uniform(), latitude = 180 / std::numbers::pi * std::asin(2 * r.uniform() - 1);
    switch (i % 8) {
      case 0:
        add(angles.size() >= 2 ? angles[angles.size() - 2] + 1e-7 * r.normal() : 0,
            angles.size() >= 2 ? std::clamp(angles[angles.size() - 1] + 1e-7 * r.normal(), -90.0, 90.0) : 0);
        break;
      case 1:
        add(longitude, std::copysign(90 - 1e-6 * r.uniform(), latitude));
        break;
      case 2:
        add(r.below(2) ? 1e-6 * r.normal() : 360 + 1e-6 * r.normal(), 0.01 * latitude);
        break;
      default:
        add(longitude, latitude);
    }
  }
  return {2, std::move(angles)};
}

SearchOptions sky_options(AngleUnit unit) {
  SearchOptions options = cpu_options();
  options.sky = unit;
  return options;
}

/// The angles between a query and all data points, ascending, in radians.
std::vector<long double> sorted_angles(const Points& data, const Points& queries, std::int64_t query, bool is_self) {
  std::vector<long double> all;
  for (std::int64_t i = 0; i < data.size(); ++i)
    if (!is_self || i != query) all.push_back(angle(queries, query, data, i));
  std::ranges::sort(all);
  return all;
}

void expect_angle(double got, long double want, AngleUnit unit) {
  EXPECT_NEAR(got, static_cast<double>(want), sky_tolerance(want, unit));
}

TEST(Sky, RowsAreThoseOfBruteForce) {
  constexpr std::int64_t k = 9;
  const Points data = sky(600, 1), others = sky(200, 2);
  for (const bool is_self : {true, false}) {
    const Points& queries = is_self ? data : others;
    std::vector<std::vector<long double>> want;
    for (std::int64_t query = 0; query < queries.size(); ++query)
      want.push_back(sorted_angles(data, queries, query, is_self));
    for (const AngleUnit unit : {AngleUnit::arcsec, AngleUnit::arcmin, AngleUnit::deg, AngleUnit::m, AngleUnit::km}) {
      SearchOptions options = sky_options(unit);
      options.k = k;
      const SearchResult got = is_self ? search_self(data, options) : search(data, queries, options);
      EXPECT_EQ(got.report.dimensions, 2);
      EXPECT_EQ(got.report.method, Method::exact);
      const auto& [m, width, ids, distances] = got.neighbors;
      for (std::int64_t at = 0; at < m * k; ++at) {
        const std::int64_t query = at / k, rank = at % k;
        expect_angle(distances[at], want[query][rank] * per_radian(unit), unit);
        expect_angle(distances[at], angle(queries, query, data, ids[at]) * per_radian(unit), unit);
        if (rank > 0) {
          EXPECT_LT(std::pair(distances[at - 1], ids[at - 1]), std::pair(distances[at], ids[at]));
        }
      }
    }
  }
}

TEST(Sky, OppositePointsAreAccurate) {
  // 180° less 1e-4°: two unit vectors have the distance 2 as float32
  const Points data{2, Array<double>{180, 1e-4, 180, 0, 180, 0.1}};
  const Points query{2, Array<double>{0, 0}};
  SearchOptions options = sky_options(AngleUnit::deg);
  options.k = 3;
  const Neighbors got = search(data, query, options).neighbors;
  EXPECT_EQ(got.ids, (Array<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(got.distances[0], 179.9f);
  EXPECT_EQ(got.distances[1], static_cast<float>(180 - 1e-4));
  EXPECT_EQ(got.distances[2], 180.0f);
}

TEST(Sky, TheSamePlaceHasManyNames) {
  const Points data{2,
                    Array<double>{0, 0, 360, 0, -360, 0, 720, 0, 0, 90, 123, 90, -77, 90, 180, 45, -180, 45, 540, 45}};
  SearchOptions options = sky_options(AngleUnit::arcsec);
  options.radius = 0;
  const RadiusResult got = search_radius_self(data, options);
  EXPECT_EQ(got.lists.begins, (Array<std::int64_t>{0, 3, 6, 9, 12, 14, 16, 18, 20, 22, 24}));
  for (const float distance : got.lists.distances) EXPECT_EQ(distance, 0);
}

TEST(Sky, IsVerified) {
  const Points data = sky(900, 7), queries = sky(150, 8);
  SearchOptions options = sky_options(AngleUnit::arcsec);
  options.radius = 30000;
  Neighbors rows = search(data, queries, options).neighbors;
  const AccuracyOptions judge{.exact = true, .radius = options.radius, .sky = AngleUnit::arcsec};
  const Accuracy good = measure_accuracy(data, queries, rows, judge);
  EXPECT_EQ(good.judged, 150);
  EXPECT_EQ(good.identical, 150);
  EXPECT_EQ(good.faulty, 0);
  EXPECT_NEAR(good.distance_ratio, 1, 1e-9);
  const float right = rows.distances[5];
  rows.distances[5] = std::nextafter(right, 0.0f);
  EXPECT_EQ(measure_accuracy(data, queries, rows, judge).faulty, 1);
  rows.distances[5] = right;
  std::swap(rows.ids[3], rows.ids[4]);
  EXPECT_EQ(measure_accuracy(data, queries, rows, judge).faulty, 1);
}

TEST(Sky, SkipsPointsThatAreNotFinite) {
  Points data = sky(100, 9);
  std::get<Array<double>>(data.coordinates)[41] = std::numeric_limits<double>::quiet_NaN();
  SearchOptions options = sky_options(AngleUnit::deg);
  options.k = 200;
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [&] { search_self(data, options); }),
            "data: 1 of 100 points have NaN or infinite coordinates (first: 20); use --invalid skip");
  options.invalid = InvalidPoints::skip;
  const SearchResult got = search_self(data, options);
  EXPECT_EQ(std::ranges::count(got.neighbors.ids, 20), 0);
  EXPECT_EQ(got.neighbors.ids[20 * 200], k_missing_id);
  EXPECT_EQ(got.report.warnings,
            (std::vector<std::string>{"k=200 but data has 99 valid points, the query itself among them; missing "
                                      "neighbours are id -1, distance inf"}));
}

TEST(Sky, HasNoPointsOrOne) {
  const Points none{2, Array<double>()}, one{2, Array<double>{10, 20}};
  SearchOptions options = sky_options(AngleUnit::km);
  options.k = 2;
  EXPECT_EQ(search(none, one, options).neighbors.ids, (Array<std::int32_t>{-1, -1}));
  EXPECT_EQ(search(one, one, options).neighbors.ids, (Array<std::int32_t>{0, -1}));
  EXPECT_TRUE(search(one, none, options).neighbors.ids.empty());
  EXPECT_EQ(search_self(one, options).neighbors.ids, (Array<std::int32_t>{-1, -1}));
}

TEST(Sky, RefusesWhatIsNoAngleAndOtherSearches) {
  const Points data = sky(10, 11);
  SearchOptions options = sky_options(AngleUnit::deg);
  const auto refused = [&](const Points& points, ErrorKind kind) {
    return refusal_of(kind, [&] { search_self(points, options); });
  };
  EXPECT_EQ(refused({2, Array<double>{10, 20, 5, 90.0000001}}, ErrorKind::bad_input),
            "data: point 1 has the latitude 90.0000001, which is not within -90 and 90 degrees; --sky takes "
            "longitude (ra) first, then latitude (dec)");
  EXPECT_EQ(refused({3, Array<double>{10, 20, 5}}, ErrorKind::bad_input),
            "data: points have 3 coordinates; --sky takes two, longitude and latitude: choose them with --columns");
  options.periodic = {1, 1};
  EXPECT_EQ(refused(data, ErrorKind::usage), "--sky and --periodic exclude each other");
  options.periodic.clear();
  options.method = Method::shifted_sort;
  EXPECT_EQ(refused(data, ErrorKind::usage), "--method shifted-sort does not go with --sky, whose answer is exact");
}

TEST(Sky, ChordAndDistanceAreInverse) {
  for (const AngleUnit unit : {AngleUnit::arcsec, AngleUnit::deg, AngleUnit::km})
    for (double angle = 1e-9; angle < 3; angle *= 1.7) {
      const auto distance = static_cast<double>(angle * per_radian(unit));
      const double c = chord(distance, unit);
      EXPECT_NEAR(sphere_distance(c * c, unit) / distance, 1, 1e-13 / (std::numbers::pi - angle));
    }
  EXPECT_EQ(chord(180, AngleUnit::deg), 3);
  EXPECT_EQ(chord(0, AngleUnit::deg), 0);
  for (const std::string name : {"arcsec", "arcmin", "deg", "m", "km"}) EXPECT_EQ(name_of(*angle_unit(name)), name);
  EXPECT_FALSE(angle_unit("rad"));
}

}  // namespace
}  // namespace kann::test
