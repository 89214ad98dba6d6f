// SearchOptions::periodic: the rows are those of brute force by its definition.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/index.hpp"
#include "kann/search.hpp"
#include "kann/shifts.hpp"

#include "cpu_search.hpp"
#include "float64_clouds.hpp"
#include "in_box.hpp"
#include "part.hpp"
#include "problems.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "products/accuracy/periodic_answer.hpp"

namespace kann::test {
namespace {

void expect_brute_force(const Case& c, const Sides& sides, std::int64_t k) {
  std::string trace = c.name + " k=" + std::to_string(k) + " L=";
  for (const double side : sides) trace += std::to_string(side) + " ";
  SCOPED_TRACE(trace);
  const SearchResult got = search_case(c, in_box(sides, k));
  const Neighbors want = periodic_answer(c.data, c.queries ? *c.queries : c.data, sides, k, !c.queries);
  EXPECT_EQ(got.neighbors.ids, want.ids);
  EXPECT_EQ(got.neighbors.distances, want.distances);
  EXPECT_EQ(got.report.method, Method::exact);
}

/// The same where all images are neighbours: rows, and lists with and without the query, half of them, and counts.
void expect_all_images(const Case& c, const Sides& box, std::int64_t k, double radius) {
  SCOPED_TRACE(c.name + " k=" + std::to_string(k) + " R=" + std::to_string(radius) + " " + std::to_string(box[0]));
  const Points& queries = c.queries ? *c.queries : c.data;
  const auto at = placed(queries, c.data, box), points = placed(c.data, c.data, box);
  for (const bool with_self : {false, true}) {
    const Own own = c.queries ? Own::none : with_self ? Own::kept : Own::dropped;
    SearchOptions options = in_box(box, k);
    options.images = Images::all;
    options.include_self = with_self;
    const SearchResult got = search_case(c, options);
    const Neighbors want = all_images_answer(c.data, queries, box, k, own);
    EXPECT_EQ(got.neighbors.ids, want.ids) << with_self;
    EXPECT_EQ(got.neighbors.distances, want.distances);
    EXPECT_EQ(got.report.warnings, std::vector<std::string>());

    options.radius = radius;
    const NeighborLists lists =
        (c.queries ? search_radius(c.data, queries, options) : search_radius_self(c.data, options)).lists;
    const NeighborLists counts =
        (c.queries ? count_radius(c.data, queries, options) : count_radius_self(c.data, options)).lists;
    const SearchResult limited = search_case(c, options);
    EXPECT_EQ(counts.begins, lists.begins);
    std::int64_t within = 0;
    for (std::int64_t query = 0; query < queries.size(); ++query) {
      std::vector<std::pair<float, std::int32_t>> row, listed;
      auto all = all_images(query, at[query], points, c.data, box, radius, own);
      for (const auto& [sq, id] : all) row.emplace_back(root(sq), id);
      std::ranges::sort(row);
      Neighbors nearest{1, k, {}, {}};
      append_nearest(all, nearest);
      for (std::int64_t i = lists.begins[query]; i < lists.begins[query + 1]; ++i)
        listed.emplace_back(lists.distances[i], lists.ids[i]);
      ASSERT_EQ(listed, row) << query;
      for (std::int64_t i = 0; i < k; ++i) {
        const auto place = static_cast<std::size_t>(query * k + i);
        ASSERT_EQ(limited.neighbors.ids[place], nearest.ids[static_cast<std::size_t>(i)]);
        within += i < std::ssize(row);
      }
    }
    EXPECT_EQ(limited.report.within_radius, within);
  }
}

/// The widest side of the cloud; 1 if it has none.
double width_of(const Points& p) {
  double widest = 0;
  for (int a = 0; a < p.dimensions; ++a) {
    double lo = 0, hi = 0;
    for (std::int64_t i = 0; i < p.size(); ++i) {
      lo = i ? std::min(lo, p.at(i, a)) : p.at(i, a);
      hi = i ? std::max(hi, p.at(i, a)) : p.at(i, a);
    }
    widest = std::max(widest, hi - lo);
  }
  return widest > 0 ? widest : 1;
}

/// Boxes smaller, as large and larger than a cloud; slabs and wires; sides that are float32s, and that are not.
std::vector<Sides> boxes_of(const Points& data) {
  const double w = width_of(data);
  const int d = data.dimensions;
  std::vector<Sides> boxes;
  for (const double factor : {1e-3, 0.3, 0.97, 1.0, 1.1, 3.0, 1e9})
    boxes.push_back(Sides(static_cast<std::size_t>(d), static_cast<double>(static_cast<float>(w * factor))));
  boxes.push_back(d == 3 ? Sides{w / 3, 0, w * 1.01} : Sides{w / 3, 0});
  boxes.push_back(d == 3 ? Sides{0, 0, w * 0.7} : Sides{0, w * 0.7});
  boxes.push_back(d == 3 ? Sides{w * 1.02, w / 7, w / 50} : Sides{w * 1.02, w / 50});
  std::erase_if(boxes,
                [](const Sides& sides) { return !(std::ranges::max(sides) > 0 && std::ranges::max(sides) <= 1e150); });
  return boxes;
}

/// In float64.
Points moved(const Points& p, double offset) {
  Points out{p.dimensions, Array<double>()};
  for (std::int64_t i = 0; i < p.size(); ++i)
    for (int a = 0; a < p.dimensions; ++a) std::get<1>(out.coordinates).push_back(p.at(i, a) + offset);
  return out;
}

TEST(Periodic, RowsAreThoseOfBruteForce) {
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 5, 20})
      for (const Case& c : cases(150, 40, d, 7))
        for (const Sides& sides : boxes_of(c.data)) expect_brute_force(c, sides, k);
}

/// Also where a box is not reduced, does not repeat along all axes, or has its vectors anywhere.
TEST(Periodic, RowsInSlantedBoxesAreThoseOfBruteForce) {
  for (const Case& c : cases(40, 12, 3, 7))
    for (Sides box : {Sides{1.1, 1, 0.9, 0.5, -0.4, 0.3}, Sides{0.7, 0.8, 0.6, -0.5, 0.9, 0.3},
                      Sides{1, 0.9, 0, 0.4, 0, 0}, Sides{0.9, 0.1, 0.2, -0.4, 1.1, 0.3, 0.2, 0.3, -0.7}}) {
      for (double& number : box) number *= width_of(c.data);
      for (const std::int64_t k : {1, 9}) expect_brute_force(c, box, k);
    }
}

TEST(Periodic, RowsOfFloat64CloudsAreThoseOfBruteForce) {
  for (const int d : {2, 3})
    for (const Case& c : float64_cases(120, 30, d, 9))
      for (const Sides& sides : boxes_of(c.data)) expect_brute_force(c, sides, 6);
}

TEST(Periodic, HoldsAtEverySize) {
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 127, 128, 129})
    for (const Case& c : cases(n, 9, 3, 5, tied_clouds()))
      for (const Sides& sides : boxes_of(c.data)) expect_brute_force(c, sides, 5);
}

TEST(Periodic, AllImagesAreThoseOfBruteForce) {
  Part part;
  for (const std::int64_t n : {1, 2, 5, 40})
    for (const Case& c : cases(n, 7, 3, 8, tied_clouds()))
      for (const Sides& box : {Sides{1, 1, 1}, Sides{0.4, 1, 0}, Sides{0, 0.5, 0}, Sides{1, 1, 1, 0.5, 0.5, 0.5},
                               Sides{0.6, 0.4, 0.9, -0.25, 0.3, 0.3}, Sides{0.5, 0, 0.8, 0, 0.3, 0},
                               Sides{0, 0.7, 0, 0.6, 0, 0, 0, 0.1, 0.5}})
        for (const double radius : {0.2, 1.0, 1.3})
          if (part.takes_next()) expect_all_images(c, box, radius < 1 ? 3 : 13, radius);
}

/// What an own image is not: the point itself, wherever it is, and whatever float32 holds of the distance.
TEST(Periodic, ShiftsAreThoseOfTheImagesThatWereFound) {
  const auto shifts_of = [](const Points& points, const Sides& box) {
    SearchOptions options = in_box(box, 2);
    options.images = Images::all;
    return image_shifts(points, points, search_self(points, options).neighbors, {.periodic = box});
  };
  const Points atom{3, Array<double>{3, 3, 3}}, large{3, Array<double>{0, 0, 0}}, far{3, Array<double>{1e7, 1e7, 1e7}};
  EXPECT_EQ(shifts_of(atom, {1e-3, 1, 1}), (Array<std::int32_t>{-1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(shifts_of(large, {1e50, 3e50, 3e50}), (Array<std::int32_t>{-1, 0, 0, 1, 0, 0}));  // past float32
  EXPECT_THROW(shifts_of(far, {1e-7, 1, 1}), Error);  // which image is which is lost
}

/// Points are placed along a long vector, far from each other; images that are near fill the rows all the same.
TEST(Periodic, RowsOfAllImagesAreThoseOfTheLattice) {
  const Points points{3, Array<double>{0.1, 0.9, 0.4, 0.5, 0.2, 0.7, 0.3, 0.3, 0.1, 0.8, 0.6, 0.2, 0.9, 0.1, 0.6}};
  for (const std::int64_t k : {3, 43}) {
    const auto rows_in = [&](const Sides& box) {
      SearchOptions options = in_box(box, k);
      options.images = Images::all;
      return search_self(points, options).neighbors.distances;
    };
    const auto cubic = rows_in({1, 1, 1}), long_vectors = rows_in({40, 1, 0, 1, 0, 0, 0, 7, 1});
    for (std::size_t i = 0; i < cubic.size(); ++i) EXPECT_NEAR(cubic[i], long_vectors[i], 1e-6) << i;
  }
}

TEST(Periodic, ThousandsOfOwnImagesAreTheNearest) {
  const Points atom{3, Array<double>{0.3, 0.1, 7}};
  constexpr int k = 9'000, reach = 14;  // a ball of this radius has 11,494
  std::vector<float> lengths;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z)
        if (x != 0 || y != 0 || z != 0) lengths.push_back(static_cast<float>(std::sqrt(x * x + y * y + z * z)));
  std::ranges::sort(lengths);
  SearchOptions options = in_box({1, 1, 1}, k);
  options.images = Images::all;
  const Neighbors rows = search_self(atom, options).neighbors;
  for (std::size_t i = 0; i < k; ++i) ASSERT_EQ(rows.distances[i], lengths[i]) << i;
}

/// Two points far from each other along the diagonal of a cell that is long and thin, of the unit cubic lattice.
TEST(Periodic, LongCellsOfShortLatticesAreNotRefused) {
  const Points points{3, Array<double>{0.1, 0.2, 0.3, 0.5, 0.5, 0.5}};
  for (const Images images : {Images::nearest, Images::all}) {
    SearchOptions options = in_box({31, 31, 6, 40, 41, 8, 5, 5, 1}, 1);
    options.images = images;
    const Neighbors rows = search_self(points, options).neighbors;
    EXPECT_EQ(rows.ids, (Array<std::int32_t>{1, 0}));
    EXPECT_FLOAT_EQ(rows.distances[0], std::sqrt(0.29f));
  }
}

TEST(Periodic, OwnImagesComeInPairs) {
  const Points atom{3, Array<double>{0.3, 0.1, 7}};
  SearchOptions options = in_box({2, 2, 2, 1, 1, 1}, 12);  // not reduced: its shortest vectors are √3 and more
  options.images = Images::all;
  const Neighbors rows = search_self(atom, options).neighbors;
  for (std::int64_t i = 0; i < 12; i += 2) EXPECT_EQ(rows.distances[i], rows.distances[i + 1]);
  EXPECT_EQ(std::ranges::count(rows.ids, 0), 12);
}

/// Large clouds, in which few rows cross a face.
TEST(Periodic, FacesOfLargeCloudsAreCrossed) {
  for (const int d : {2, 3})
    for (const Sides& sides : {Sides{1, 1, 1}, Sides{1.001, 0, 1.001}, Sides{0.9, 0.9, 0.9}})
      for (const Case& c : cases(1500, 500, d, 3, {{"uniform", uniform}}))
        expect_brute_force(c, Sides(sides.begin(), sides.begin() + d), 8);
}

/// Simple cubic or face-centred cubic, `cells` to an axis, with faces that coincide, times `constant`.
Points crystal(int cells, bool is_fcc, double constant, double offset) {
  Points p{3, Array<double>()};
  auto& c = std::get<1>(p.coordinates);
  const auto add = [&](double x, double y, double z) {
    for (const double v : {x, y, z}) c.push_back(v * constant + offset);
  };
  for (int x = 0; x < cells; ++x)
    for (int y = 0; y < cells; ++y)
      for (int z = 0; z < cells; ++z) {
        add(x, y, z);
        if (is_fcc) add(x + .5, y + .5, z), add(x + .5, y, z + .5), add(x, y + .5, z + .5);
      }
  return p;
}

TEST(Periodic, TiesOfCrystalsAreDecidedById) {
  Part part;
  for (const bool is_fcc : {false, true})
    for (const double constant : {1.0, 3.615, 1e-9})
      for (const double offset : {0.0, -2.0, 0.1, 1e6})
        for (const std::int64_t k : {1, 5, 6, 12, 20}) {
          if (!part.takes_next()) continue;
          const double side = 5 * constant;
          const Case c{"crystal", crystal(5, is_fcc, constant, offset), {}};
          expect_brute_force(c, {side, side, side}, k);
          expect_brute_force(c, {side, 0, 2 * side}, k);
          expect_brute_force({"moved", c.data, moved(c.data, 7 * constant)}, {side, side, side}, k);
        }
}

TEST(Periodic, PointsOnBothFacesCoincide) {
  const Points data{2, Array<float>{0, 0, 1, 0, 0, 1, 1, 1, 0.5f, 0.5f}};
  const Case self{"faces", data, {}}, others{"faces", data, Points{2, Array<float>{0, 1, 3, -2, 0.5f, 0, -0.25f, 9}}};
  for (std::int64_t k = 1; k <= 6; ++k)
    for (const Case& c : {self, others}) expect_brute_force(c, {1, 1}, k);
  const Neighbors rows = search_self(data, in_box({1, 1}, 2)).neighbors;
  EXPECT_EQ(std::vector(rows.ids.begin(), rows.ids.begin() + 4), (std::vector<std::int32_t>{1, 2, 0, 2}));
  EXPECT_EQ(rows.distances[0], 0);
}

/// A copy of a point, however many sides away, is at distance 0, and a point's own images are not its neighbours.
TEST(Periodic, CopiesOfPointsCoincide) {
  Points data{3, Array<double>()};
  Random r(4);
  for (int i = 0; i < 60; ++i)
    for (int a = 0; a < 3; ++a)
      std::get<1>(data.coordinates)
          .push_back((i % 3 && a ? 0.25 : r.uniform()) + static_cast<double>(r.below(2000)) - 1000);
  for (const Sides& sides : {Sides{1, 1, 1}, Sides{1, 0, 1}, Sides{0.1, 0.1, 0.3}, Sides{1e-3, 1e-3, 1e-9}})
    for (const std::int64_t k : {1, 7, 59, 60, 70}) expect_brute_force({"copies", data, {}}, sides, k);
}

/// Half of the points are clamped to 0 or the side, along one axis, two or all: thousands of images coincide.
TEST(Periodic, ClampedPointsCoincideByTheThousands) {
  for (const double side : {1.0, 0.7}) {
    Points data = moved(to_points(uniform(3000, 3, 8), 3), 0);
    auto& c = std::get<1>(data.coordinates);
    Random r(8);
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = i % 6 < 3 && r.below(3) ? (r.below(2) ? side : 0) : c[i] * side;
    expect_brute_force({"clamped", data, {}}, {side, side, side}, 8);
    expect_brute_force({"clamped", data, {}}, {side, 0, side}, 8);
  }
}

/// One point changes no row but those that it is in.
TEST(Periodic, APointOfNoDigitsBelowTheSideIsOneOfThem) {
  Points data = moved(to_points(uniform(300, 3, 8), 3), 0);
  std::get<1>(data.coordinates)[30] = 1e15 + 0.375;
  std::get<1>(data.coordinates)[33] = 1e300;
  expect_brute_force({"far", data, {}}, {1, 1, 1}, 8);
  expect_brute_force({"far", data, {}}, {0.3, 0.7, 0}, 8);
}

/// Where the side is below the rounding of coordinates, the definition still has one answer.
TEST(Periodic, SidesBelowRoundingAreAnsweredByDefinition) {
  for (const double offset : {1e9, 1e16, 1e30})
    for (const double side : {1e-8, 0.3, 10.0}) {
      const Case c{"far", moved(to_points(uniform(60, 3, 1), 3), offset),
                   moved(to_points(uniform(20, 3, 2), 3), -offset)};
      expect_brute_force(c, {side, side, side}, 4);
      expect_brute_force({"far self", c.data, {}}, {side, side, side}, 4);
    }
}

TEST(Periodic, AnySubsetOfTheQueriesHasTheSameRows) {
  const Points data = to_points(clusters(2000, 3, 1), 3), queries = to_points(clusters(300, 3, 2), 3);
  for (const Sides& sides : {Sides{1, 1, 1}, Sides{0.31, 0.31, 0.31}, Sides{0, 0.7, 0}}) {
    const SearchOptions options = in_box(sides, 9);
    const Neighbors all = search(data, queries, options).neighbors;
    for (const std::int64_t stride : {1, 7, 299}) {
      Points some{3, Array<float>()};
      for (std::int64_t q = 0; q < queries.size(); q += stride)
        for (int a = 0; a < 3; ++a) std::get<0>(some.coordinates).push_back(static_cast<float>(queries.at(q, a)));
      if (stride == 299)  // a query far outside, which moves none of the others
        for (const float x : {1e5f, -3e4f, 7.f}) std::get<0>(some.coordinates).push_back(x);
      const Neighbors rows = search(data, some, options).neighbors;
      for (std::int64_t q = 0, i = 0; q < queries.size(); q += stride, ++i)
        for (std::int64_t r = 0; r < 9; ++r) {
          ASSERT_EQ(rows.ids[i * 9 + r], all.ids[q * 9 + r]);
          ASSERT_EQ(rows.distances[i * 9 + r], all.distances[q * 9 + r]);
        }
    }
  }
}

TEST(Periodic, AnIndexGivesTheSameRows) {
  for (const Case& c : cases(500, 80, 3, 2, tied_clouds())) {
    const Index index(c.data);
    for (const Sides& sides : boxes_of(c.data))
      for (int repeat = 0; repeat < 2; ++repeat) {
        const SearchOptions options = in_box(sides, 4);
        const SearchResult got = c.queries ? index.search(*c.queries, options) : index.search_self(options);
        EXPECT_EQ(got.neighbors.ids, search_case(c, options).neighbors.ids) << c.name;
      }
  }
}

TEST(Periodic, SelfQueriesMayKeepThePoint) {
  const Points data = to_points(uniform(100, 2, 3), 2);
  SearchOptions options = in_box({1, 1}, 3);
  options.include_self = true;
  const Neighbors want = periodic_answer(data, data, options.periodic, 3);
  EXPECT_EQ(search_self(data, options).neighbors.ids, want.ids);
}

TEST(Periodic, SkippedPointsStaySkipped) {
  const float nan = std::nanf("");
  const Points data{2, Array<float>{nan, 0, 0.1f, 0, 0.9f, 0, k_infinity, 2, 7.5f, 0}};
  const Points queries{2, Array<float>{0, nan, 0, 0, 3, 0}};
  for (const Sides& sides : {Sides{1, 1}, Sides{10, 0}}) {
    SearchOptions options = in_box(sides, 2);
    options.invalid = InvalidPoints::skip;
    const SearchResult got = search(data, queries, options);
    EXPECT_EQ(got.neighbors.ids, periodic_answer(data, queries, sides, 2).ids);
    EXPECT_EQ(got.report.data_skipped, 2);
    EXPECT_EQ(got.report.query_skipped, 1);
    EXPECT_EQ(search_self(data, options).neighbors.ids, periodic_answer(data, data, sides, 2, true).ids);
  }
  EXPECT_THROW(search(data, queries, in_box({1, 1}, 2)), Error);
}

TEST(Periodic, ARadiusLimitsTheDistanceToTheNearestImage) {
  const Points data{2, Array<double>{0.1, 0, 0.9, 0, 0.5, 0}}, query{2, Array<double>{5, 0}};
  for (const auto& [radius, ids] :
       {std::pair{0.05, Array<std::int32_t>{-1, -1, -1}}, {0.11, {1, 0, -1}}, {0.45, {1, 0, -1}}}) {
    SearchOptions options = in_box({1, 0}, 3);
    options.radius = radius;
    const SearchResult got = search(data, query, options);
    Neighbors want = periodic_answer(data, query, options.periodic, 3);
    for (std::size_t i = 0; i < 3; ++i)
      if (want.distances[i] > radius) want.ids[i] = -1;
    EXPECT_EQ(got.neighbors.ids, want.ids);
    EXPECT_EQ(got.report.within_radius, 3 - std::ranges::count(want.ids, -1));
    EXPECT_EQ(std::ranges::count(ids, -1), std::ranges::count(want.ids, -1));
  }
}

}  // namespace
}  // namespace kann::test
