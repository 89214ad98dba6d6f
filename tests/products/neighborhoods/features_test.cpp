// features() of ugly clouds, of every size and scale, against the definition in 80 bits, with the eigenvalues by
// Jacobi's method; and what it refuses.
#include "kann/features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "part.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

using Wide = long double;
using WideVector = std::array<Wide, 3>;

struct PlainShape {
  std::int64_t points = 0;
  std::array<Wide, 3> values{};  ///< descending
  WideVector normal{};
};

/// Rotates off-diagonal elements away until none is left.
PlainShape jacobi(std::array<WideVector, 3> a) {
  std::array<WideVector, 3> v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int sweep = 0; sweep < 60; ++sweep)
    for (const auto& [p, q] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
      if (a[p][q] == 0) continue;
      const Wide angle = std::atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2, c = std::cos(angle), s = std::sin(angle);
      for (int i = 0; i < 3; ++i) {
        const Wide x = a[i][p], y = a[i][q];
        a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
      }
      for (int i = 0; i < 3; ++i) {
        const Wide x = a[p][i], y = a[q][i];
        a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
      }
      a[p][q] = a[q][p] = 0;
      for (int i = 0; i < 3; ++i) {
        const Wide x = v[i][p], y = v[i][q];
        v[i][p] = c * x - s * y, v[i][q] = s * x + c * y;
      }
    }
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int i, int j) { return a[i][i] > a[j][j]; });
  PlainShape out;
  for (int i = 0; i < 3; ++i) out.values[i] = a[order[i]][order[i]], out.normal[i] = v[i][order[2]];
  return out;
}

PlainShape plain_shape(const std::vector<WideVector>& points) {
  PlainShape out;
  out.points = std::ssize(points);
  if (points.empty()) return out;
  WideVector mean = points.front();
  for (const WideVector& x : points)
    for (int i = 0; i < 3; ++i) mean[i] += (x[i] - points.front()[i]) / out.points;
  std::array<WideVector, 3> covariance{};
  for (const WideVector& x : points)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) covariance[i][j] += (x[i] - mean[i]) * (x[j] - mean[j]) / out.points;
  const std::int64_t count = out.points;
  out = jacobi(covariance);
  out.points = count;
  return out;
}

/// The points of a row, and the query's own if it is one of them.
std::vector<WideVector> neighborhood_of(const PointsView& data, std::span<const std::int32_t> ids,
                                        std::int64_t own = -1) {
  std::vector<WideVector> points;
  const auto add = [&](std::int64_t id) {
    points.push_back({Wide{data.at(id, 0)}, Wide{data.at(id, 1)}, Wide{data.at(id, 2)}});
  };
  if (own >= 0) add(own);
  for (const std::int32_t id : ids)
    if (id != k_missing_id) add(id);
  return points;
}

SearchOptions exact_search(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.device.kind = DeviceKind::cpu;
  options.threads = 2;
  return options;
}

const std::vector<Feature>& all_features() {
  static const std::vector<Feature> all = {Feature::normals,      Feature::curvature,  Feature::linearity,
                                           Feature::planarity,    Feature::sphericity, Feature::verticality,
                                           Feature::omnivariance, Feature::density};
  return all;
}

/// A value of the column of that name.
double value_of(const FeatureResult& result, const std::string& name, std::int64_t query) {
  const auto column = std::ranges::find(result.attributes, name, &Attribute::name);
  return column->at(query);
}

FeatureOptions all_of(bool with_query = true, int threads = 2) {
  return {.features = all_features(), .with_query = with_query, .threads = threads};
}

/// Compares one query. What rounding of the covariance makes uncertain has a tolerance in proportion.
void expect_plain(const FeatureResult& got, std::int64_t query, const PlainShape& want, const std::string& where) {
  const auto at = [&](const char* name) { return value_of(got, name, query); };
  if (want.points < 3) {
    for (const char* name :
         {"nx", "ny", "nz", "curvature", "linearity", "planarity", "sphericity", "verticality", "omnivariance"})
      ASSERT_TRUE(std::isnan(at(name))) << where << name;
    return;
  }
  const auto [l1, l2, l3] = want.values;
  if (l1 == 0) {
    for (const char* name : {"nx", "curvature", "linearity", "planarity", "sphericity", "verticality"})
      ASSERT_TRUE(std::isnan(at(name))) << where << name;
    ASSERT_EQ(at("omnivariance"), 0) << where;
    return;
  }
  const auto near = [&](const char* name, Wide expected) {
    ASSERT_NEAR(at(name), static_cast<double>(expected), 1e-6) << where << name;
  };
  near("curvature", l3 / (l1 + l2 + l3));
  near("linearity", (l1 - l2) / l1);
  near("planarity", (l2 - l3) / l1);
  near("sphericity", l3 / l1);
  const Wide rounding = l1 * 0x1p-48L;
  const Wide least = std::cbrt(l1 * std::max<Wide>(l2 - rounding, 0) * std::max<Wide>(l3 - rounding, 0));
  const Wide most = std::cbrt(l1 * (l2 + rounding) * (l3 + rounding));
  ASSERT_GE(at("omnivariance"), static_cast<double>(least) * (1 - 1e-12)) << where;
  ASSERT_LE(at("omnivariance"), static_cast<double>(most) * (1 + 1e-12)) << where;
  if (l2 - l3 < 1e-3L * l1) return;
  const WideVector n{at("nx"), at("ny"), at("nz")};
  const Wide sine =
      std::hypot(n[1] * want.normal[2] - n[2] * want.normal[1], n[2] * want.normal[0] - n[0] * want.normal[2],
                 n[0] * want.normal[1] - n[1] * want.normal[0]);
  ASSERT_LT(sine, 1e-6L) << where;
  ASSERT_GE(n[2], 0) << where;
  near("verticality", 1 - std::abs(want.normal[2]));
}

/// Each with itself and its k nearest others.
void expect_all_plain(const PointsView& cloud, std::int64_t k, const std::string& where) {
  const Neighbors rows = search_self(cloud, exact_search(k)).neighbors;
  const FeatureResult got = features(cloud, cloud, rows, all_of());
  for (std::int64_t q = 0; q < rows.queries; ++q) {
    const auto ids = std::span(rows.ids).subspan(static_cast<std::size_t>(q * k), static_cast<std::size_t>(k));
    expect_plain(got, q, plain_shape(neighborhood_of(cloud, ids, q)), where + ", query " + std::to_string(q) + ": ");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Features, AreThoseOfTheDefinition) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const std::int64_t n : {0, 1, 2, 3, 4, 8, 9, 10, 127, 128, 129, 700})
      for (const std::int64_t k : {1, 2, 3, 8, 17})
        if (part.takes_next())
          expect_all_plain(to_points(kind.make(n, 3, 7), 3), k,
                           kind.name + ", n " + std::to_string(n) + ", k " + std::to_string(k));
}

Points float64_cloud(std::int64_t n, const std::function<double(std::int64_t, int)>& coordinate) {
  Array<double> c(static_cast<std::size_t>(3 * n));
  for (std::int64_t i = 0; i < 3 * n; ++i) c[static_cast<std::size_t>(i)] = coordinate(i / 3, static_cast<int>(i % 3));
  return {3, std::move(c)};
}

TEST(Features, AreThoseOfTheDefinitionAtEveryScale) {
  for (const int exponent : {-1000, -400, -120, -30, 0, 30, 120, 400, 500}) {
    Random random(5);
    const Points cloud = float64_cloud(
        300, [&](auto, int axis) { return std::ldexp(random.uniform() * (axis == 2 ? 0.125 : 1), exponent); });
    Random again(5);
    const Points plain = float64_cloud(300, [&](auto, int axis) { return again.uniform() * (axis == 2 ? 0.125 : 1); });
    const Neighbors rows = search_self(plain, exact_search(8)).neighbors;  // squares of the others may be 0
    const FeatureResult got = features(cloud, cloud, rows, all_of()), want = features(plain, plain, rows, all_of());
    for (std::int64_t q = 0; q < 300; ++q)
      for (const char* name : {"nx", "ny", "nz", "curvature", "linearity", "planarity", "sphericity", "verticality"})
        ASSERT_EQ(value_of(got, name, q), value_of(want, name, q)) << exponent << name;
  }
}

TEST(Features, OfMapCoordinatesAreThoseOfTheOrigin) {
  Random random(6);
  const auto grained = [&] { return std::floor(random.uniform() * 1000) / 256; };  // exact beside the offset
  std::vector<double> c(3 * 1000);
  for (double& x : c) x = grained();
  const auto cloud = [&](double x, double y) {
    return float64_cloud(1000, [&](std::int64_t i, int axis) {
      return c[static_cast<std::size_t>(3 * i + axis)] + (axis == 0 ? x : axis == 1 ? y : 0);
    });
  };
  const Points near = cloud(0, 0), far = cloud(500'000, 5'400'000);
  const FeatureResult a = features(near, near, search_self(near, exact_search(9)).neighbors, all_of());
  const FeatureResult b = features(far, far, search_self(far, exact_search(9)).neighbors, all_of());
  for (std::size_t i = 0; i < a.attributes.size(); ++i)
    for (std::int64_t q = 0; q < 1000; ++q) ASSERT_EQ(a.attributes[i].at(q), b.attributes[i].at(q));
}

TEST(Features, OfFlatStraightAndSinglePlaces) {
  const auto of = [](const Coordinates& c) {
    const Points cloud = to_points(c, 3);
    return features(cloud, cloud, search_self(cloud, exact_search(8)).neighbors, all_of());
  };
  const FeatureResult flat = of(make_cloud(100, 3, [](std::int64_t i, int axis) {
    return axis == 0 ? static_cast<double>(i % 10) : axis == 1 ? static_cast<double>(i / 10) * 1.5 : 7;
  }));
  const FeatureResult straight =
      of(make_cloud(50, 3, [](std::int64_t i, int axis) { return axis == 2 ? 0 : 3 * static_cast<double>(i); }));
  const FeatureResult single = of(make_cloud(50, 3, [](auto, int axis) { return axis + .25; }));
  for (std::int64_t q = 0; q < 50; ++q) {
    EXPECT_EQ(value_of(flat, "nz", q), 1);
    EXPECT_EQ(value_of(flat, "curvature", q), 0);
    EXPECT_EQ(value_of(flat, "sphericity", q), 0);
    EXPECT_EQ(value_of(flat, "verticality", q), 0);
    EXPECT_EQ(value_of(flat, "omnivariance", q), 0);
    EXPECT_TRUE(std::isnan(value_of(straight, "nx", q)));
    EXPECT_TRUE(std::isnan(value_of(straight, "verticality", q)));
    EXPECT_EQ(value_of(straight, "linearity", q), 1);
    EXPECT_NEAR(value_of(straight, "planarity", q), 0, 1e-14);
    EXPECT_TRUE(std::isnan(value_of(single, "linearity", q)));
    EXPECT_EQ(value_of(single, "omnivariance", q), 0);
    EXPECT_TRUE(std::isinf(value_of(single, "density", q)));
  }
  EXPECT_EQ(flat.undetermined, 0);
  EXPECT_EQ(straight.undetermined, 50);
  EXPECT_EQ(single.undetermined, 50);
  EXPECT_EQ(flat.too_few + straight.too_few + single.too_few, 0);
}

TEST(Features, QueryIsOnlyInItsOwnNeighbourhood) {
  const Points data = to_points(surface(400, 3, 1), 3), queries = to_points(surface(60, 3, 2), 3);
  const Neighbors rows = search(data, queries, exact_search(6)).neighbors;
  const FeatureResult got = features(data, queries, rows, all_of(false));
  for (std::int64_t q = 0; q < 60; ++q)
    expect_plain(got, q,
                 plain_shape(neighborhood_of(data, std::span(rows.ids).subspan(static_cast<std::size_t>(6 * q), 6))),
                 "query " + std::to_string(q) + ": ");
}

TEST(Features, NormalsLookToTheViewpoint) {
  const Points cloud = to_points(surface(2000, 3, 3), 3);
  const Neighbors rows = search_self(cloud, exact_search(8)).neighbors;
  for (const std::array<double, 3>& eye : {std::array{0.0, 0.0, 0.0}, {30.0, -20.0, -10.0}}) {
    FeatureOptions options = all_of();
    options.orientation.viewpoint = eye;
    const FeatureResult got = features(cloud, cloud, rows, options);
    for (std::int64_t q = 0; q < 2000; ++q) {
      double towards = 0;
      const char* const names[] = {"nx", "ny", "nz"};
      for (int axis = 0; axis < 3; ++axis) towards += value_of(got, names[axis], q) * (eye[axis] - cloud.at(q, axis));
      ASSERT_GT(towards, -1e-6);
    }
  }
}

TEST(Features, WallsLookToTheLargerCoordinate) {
  for (const int axis_of_wall : {0, 1}) {
    const Points cloud = to_points(make_cloud(100, 3,
                                              [&](std::int64_t i, int axis) {
                                                return axis == axis_of_wall ? 2
                                                       : axis == 2          ? static_cast<double>(i / 10)
                                                                            : 1.5 * static_cast<double>(i % 10);
                                              }),
                                   3);
    const FeatureResult got = features(cloud, cloud, search_self(cloud, exact_search(8)).neighbors, all_of());
    for (std::int64_t q = 0; q < 100; ++q) {
      EXPECT_EQ(value_of(got, axis_of_wall == 0 ? "nx" : "ny", q), 1);
      EXPECT_FALSE(std::signbit(value_of(got, "nz", q)));
      EXPECT_EQ(value_of(got, "verticality", q), 1);
    }
  }
}

TEST(Features, NeighboursInAPeriodicBoxAreTheNearestImages) {
  const auto cloud_at = [](double shift) {
    Random random(8);
    return float64_cloud(500, [&, shift](auto, int axis) {
      const double x = std::floor(random.uniform() * 4096) / 1024 + (axis < 2 ? shift : 0);
      return axis < 2 && x >= 4 ? x - 4 : x * (axis == 2 ? 0.25 : 1);
    });
  };
  SearchOptions search = exact_search(8);
  search.periodic = {4, 4, 0};
  FeatureOptions options = all_of();
  options.periodic = search.periodic;
  const Points a = cloud_at(0), b = cloud_at(1.25);
  const FeatureResult of_a = features(a, a, search_self(a, search).neighbors, options);
  const FeatureResult of_b = features(b, b, search_self(b, search).neighbors, options);
  for (std::size_t i = 0; i < of_a.attributes.size(); ++i)
    for (std::int64_t q = 0; q < 500; ++q) ASSERT_EQ(of_a.attributes[i].at(q), of_b.attributes[i].at(q));
}

/// All values, as they lie in memory.
std::string value_bytes(const FeatureResult& result) {
  std::string bytes;
  for (const Attribute& attribute : result.attributes)
    std::visit([&](const auto& v) { bytes.append(reinterpret_cast<const char*>(v.data()), std::span(v).size_bytes()); },
               attribute.values);
  return bytes;
}

TEST(Features, OfListsAreThoseOfRowsOnAnyNumberOfThreads) {
  const Points cloud = to_points(clusters(3000, 3, 9), 3);
  SearchOptions search = exact_search(500);
  search.radius = 0.003;
  const Neighbors rows = search_self(cloud, search).neighbors;
  const NeighborLists lists = search_radius_self(cloud, search).lists;
  const FeatureResult want = features(cloud, cloud, rows, all_of(true, 1));
  EXPECT_GT(want.too_few, 0);
  for (const int threads : {1, 2, 7}) {
    EXPECT_EQ(value_bytes(features(cloud, cloud, rows, all_of(true, threads))), value_bytes(want));
    EXPECT_EQ(value_bytes(features(cloud, cloud, lists, all_of(true, threads))), value_bytes(want));
  }
}

TEST(Features, DensityIsThatOfTheBallToTheFarthest) {
  const Points cloud = to_points(uniform(200, 3, 10), 3);
  const Neighbors rows = search_self(cloud, exact_search(5)).neighbors;
  const FeatureResult got = features(cloud, cloud, rows, {.features = {Feature::density}, .with_query = true});
  ASSERT_EQ(got.attributes.size(), 1u);
  for (std::int64_t q = 0; q < 200; ++q) {
    const double r = rows.distances[static_cast<std::size_t>(5 * q + 4)];
    EXPECT_DOUBLE_EQ(value_of(got, "density", q), 5 / (4.0 / 3 * std::numbers::pi * r * r * r));
  }
}

class FeaturesRefuse : public testing::Test {
 protected:
  std::string usage(const FeatureOptions& options) const {
    return refusal_of(ErrorKind::usage, [&] { features(cloud, cloud, rows, options); });
  }
  template <class Rows>
  std::string bad(const PointsView& queries, const Rows& given) const {
    return refusal_of(ErrorKind::bad_input, [&] { features(cloud, queries, given); });
  }

  const Points cloud = to_points(uniform(30, 3, 1), 3);
  const Neighbors rows = search_self(cloud, exact_search(4)).neighbors;
};

TEST_F(FeaturesRefuse, Options) {
  EXPECT_EQ(usage({.threads = -1}), "features: threads must be 0 (all) or more, not -1");
  EXPECT_EQ(usage({.orientation = {{{0, std::numeric_limits<double>::infinity(), 0}}}}),
            "features: the viewpoint must be finite");
  EXPECT_EQ(usage({.periodic = {1, 1}}), "features: 2 numbers of a periodic box for points of 3 coordinates");
  EXPECT_EQ(usage({.periodic = {1, 1, -1}}),
            "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, with XY,XZ,YZ "
            "behind them if the box is slanted, or three vectors, got '1,1,-1'");
  EXPECT_EQ(usage({.images = Images::all}), "--images all needs --periodic, which says where they are");
}

TEST_F(FeaturesRefuse, RowsThatDoNotFit) {
  const Points flat = to_points(uniform(30, 2, 1), 2);
  EXPECT_EQ(bad(flat, rows), "features: they are those of points of 3 coordinates, not 2");
  EXPECT_EQ(bad(to_points(uniform(29, 3, 1), 3), rows), "features: 30 rows of neighbours for 29 queries");
  Neighbors wrong = rows;
  wrong.ids[7] = 30;
  EXPECT_EQ(bad(cloud, wrong),
            "features: neighbour 30 is none of the 30 data points: are these the neighbours among other data?");
  wrong.ids.pop_back();
  EXPECT_EQ(bad(cloud, wrong), "features: 30 rows of 4 neighbours do not match 119 ids and 120 distances");
  NeighborLists lists{{0, 2, 1, 3}, {1, 2, 0}, {1, 1, 1}};
  const Points three = to_points(uniform(3, 3, 1), 3);
  EXPECT_EQ(bad(three, lists), "features: the lists end at neighbour 3, but there are 3 ids and 3 distances");
  lists.begins[2] = 2;
  EXPECT_EQ(bad(three, lists), "");
  lists.ids.pop_back();
  EXPECT_EQ(bad(three, lists), "features: the lists end at neighbour 3, but there are 2 ids and 3 distances");
}

}  // namespace
}  // namespace kann::test
