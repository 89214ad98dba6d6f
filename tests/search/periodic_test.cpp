// SearchOptions::periodic: rows of clouds that are hard in a box, what goes with it, and what is said of its rows.
// fuzz/search compares rows and lists of any cloud in any box with brute force.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"
#include "kann/vectors.hpp"

#include "cpu_search.hpp"
#include "part.hpp"
#include "problems.hpp"
#include "products/accuracy/periodic_answer.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

using Sides = std::vector<double>;

SearchOptions in_box(Sides sides, std::int64_t k) {
  SearchOptions options = cpu_options(k);
  options.periodic = std::move(sides);
  options.threads = 2;
  return options;
}

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

/// In float64.
Points moved(const Points& p, double offset) {
  Points out{p.dimensions, Array<double>()};
  for (std::int64_t i = 0; i < p.size(); ++i)
    for (int a = 0; a < p.dimensions; ++a) std::get<1>(out.coordinates).push_back(p.at(i, a) + offset);
  return out;
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
    return neighbor_vectors(points, points, search_self(points, options).neighbors, {.shifts = true, .periodic = box})
        .shifts;
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

/// Copies of points, however many sides away, which are at distance 0, and of which the point itself is none.
Points copies() {
  Points data{3, Array<double>()};
  Random r(4);
  for (int i = 0; i < 60; ++i)
    for (int a = 0; a < 3; ++a)
      std::get<1>(data.coordinates)
          .push_back((i % 3 && a ? 0.25 : r.uniform()) + static_cast<double>(r.below(2000)) - 1000);
  return data;
}

/// Half of the points are clamped to 0 or the side, along one axis, two or all: thousands of images coincide.
Points clamped(double side) {
  Points data = moved(to_points(uniform(3000, 3, 8), 3), 0);
  Random r(8);
  auto& c = std::get<1>(data.coordinates);
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = i % 6 < 3 && r.below(3) ? (r.below(2) ? side : 0) : c[i] * side;
  return data;
}

/// Two points have no digits below the side: they are in their own rows alone.
Points with_far_points() {
  Points data = moved(to_points(uniform(300, 3, 8), 3), 0);
  std::get<1>(data.coordinates)[30] = 1e15 + 0.375;
  std::get<1>(data.coordinates)[33] = 1e300;
  return data;
}

/// What random clouds of fuzz/search are too small for, or do not have.
TEST(Periodic, RowsOfHardCloudsAreThoseOfBruteForce) {
  struct Hard {
    Case cloud;
    std::vector<Sides> boxes;
    std::vector<std::int64_t> ks = {8};
  };
  std::vector<Hard> all{
      {{"copies", copies(), {}}, {{1, 1, 1}, {1, 0, 1}, {0.1, 0.1, 0.3}, {1e-3, 1e-3, 1e-9}}, {1, 7, 59, 60, 70}},
      {{"clamped", clamped(1), {}}, {{1, 1, 1}, {1, 0, 1}}},
      {{"clamped", clamped(0.7), {}}, {{0.7, 0.7, 0.7}, {0.7, 0, 0.7}}},
      {{"far", with_far_points(), {}}, {{1, 1, 1}, {0.3, 0.7, 0}}}};
  for (const double offset : {1e9, 1e16, 1e30}) {  // where the side may be below the rounding of coordinates
    const Points data = moved(to_points(uniform(60, 3, 1), 3), offset);
    const std::vector<Sides> boxes{{1e-8, 1e-8, 1e-8}, {0.3, 0.3, 0.3}, {10, 10, 10}};
    all.push_back({{"offset", data, moved(to_points(uniform(20, 3, 2), 3), -offset)}, boxes, {4}});
    all.push_back({{"offset self", data, {}}, boxes, {4}});
  }
  for (const Case& c : cases(150, 40, 3, 7, tied_clouds()))
    all.push_back({c, {{1, 1, 1}, {0.3, 0.3, 0.3}, {0.3, 0, 1}}, {1, 5, 20}});
  for (const Case& c : cases(1500, 500, 3, 3, {{"uniform", uniform}}))  // few rows cross a face
    all.push_back({c, {{1, 1, 1}, {1.001, 0, 1.001}, {0.9, 0.9, 0.9}}});
  for (const Hard& hard : all)
    for (const Sides& sides : hard.boxes)
      for (const std::int64_t k : hard.ks) expect_brute_force(hard.cloud, sides, k);
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

TEST(PeriodicOptions, WarningsAreThoseOfTheRows) {
  const Points data = to_points(uniform(3, 3, 1), 3);
  EXPECT_EQ(search_self(data, in_box({3, 3, 3}, 2)).report.warnings, std::vector<std::string>());
  for (const double side : {1.0, 0.1})
    EXPECT_EQ(search_self(data, in_box({side, side, side}, 8)).report.warnings.at(0),
              "k=8 but data has 3 points, the query itself among them; missing neighbours are id -1, distance inf");
  const Points wide{2, Array<double>{0, 0, 9e38, 0}};
  EXPECT_EQ(search_self(wide, in_box({1e39, 0}, 1)).report.warnings, std::vector<std::string>());
  EXPECT_EQ(search_self(wide, in_box({1e40, 0}, 1)).report.warnings.at(0),
            "2 distances are larger than float32 can hold and are written as inf");
}

std::string refusal_of_box(const SearchOptions& options, int dimensions = 3) {
  const Points points = to_points(uniform(9, dimensions, 1), dimensions);
  return refusal_of(ErrorKind::usage, [&] { search_self(points, options); });
}

TEST(PeriodicOptions, NumbersAreChecked) {
  const std::string what =
      "--periodic expects LX,LY or LX,LY,LZ, each a positive number up to 1e150 or 0, not all 0, with XY,XZ,YZ behind "
      "them if the box is slanted, or three vectors, got '";
  EXPECT_EQ(refusal_of_box(in_box({1}, 1)), what + "1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 2, 3, 4}, 1)), what + "1,2,3,4'");
  EXPECT_EQ(refusal_of_box(in_box({0, 0, 0}, 1)), what + "0,0,0'");
  EXPECT_EQ(refusal_of_box(in_box({1, -2, 1}, 1)), what + "1,-2,1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, -1, 0, 0, 0}, 1)), what + "1,1,-1,0,0,0'");
  EXPECT_EQ(refusal_of_box(in_box({1, std::nan(""), 1}, 1)), what + "1,nan,1'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 2e150}, 1)), what + "1,1,2e+150'");
  EXPECT_EQ(refusal_of_box(in_box({1, 1}, 1)),
            "--periodic has 2 sides, but data has 3 coordinates per point (need a side for each)");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 0}, 1), 2),
            "--periodic has 3 sides, but data has 2 coordinates per point (need a side for each)");
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 1, 0.5, 0, 0}, 1), 2),
            "--periodic has tilts, but data has 2 coordinates per point (need 3)");
}

TEST(PeriodicOptions, BoxesWithoutVolumeAreRefused) {
  const std::string rest = ": a box without volume, or nearly; vector ";
  EXPECT_EQ(refusal_of_box(in_box({1, 0, 1, 0.5, 0, 0}, 1)),
            "--periodic 1,0,1,0.5,0,0" + rest + "2 is along those before it, or too short");
  EXPECT_EQ(refusal_of_box(in_box({1, 0, 0, 1, 1, 0, 2, 1, 0}, 1)),
            "--periodic 1,0,0,1,1,0,2,1,0" + rest + "3 is along those before it, or too short");
  EXPECT_EQ(refusal_of_box(in_box({1, 1e-9, 1, 1, 0, 0}, 1)),
            "--periodic 1,1e-09,1,1,0,0" + rest + "2 is along those before it, or too short");
  EXPECT_EQ(refusal_of_box(in_box({1, 0.0175, 1, 0.9998, 0, 0}, 1)), "");  // 1 degree
  EXPECT_EQ(refusal_of_box(in_box({-1, 0, 0, 0, 1, 0, 0, 0, 1}, 1)), "");  // left-handed
  EXPECT_EQ(refusal_of_box(in_box({1, 1, 0, 0.5, 0, 0}, 1)), "");
}

TEST(PeriodicOptions, AnglesAreNotTakenForTilts) {
  const std::string rest =
      ": are the last three angles? They are the tilts XY,XZ,YZ, which are lengths; for such tilts, give the nine "
      "numbers "
      "of three vectors";
  EXPECT_EQ(refusal_of_box(in_box({3.25, 3.25, 5.2, 90, 90, 120}, 1)), "--periodic 3.25,3.25,5.2,90,90,120" + rest);
  EXPECT_EQ(refusal_of_box(in_box({100, 100, 100, 90, 90, 90}, 1)), "--periodic 100,100,100,90,90,90" + rest);
  EXPECT_EQ(refusal_of_box(in_box({250, 250, 250, 90, 90, 120}, 1)), "");  // as LAMMPS has it
  EXPECT_EQ(refusal_of_box(in_box({3, 0, 0, 90, 3, 0, 90, 120, 5}, 1)), "");
}

/// Half of the shortest vector is the limit, which may be none of the three.
TEST(PeriodicOptions, ARadiusPastHalfOfTheBoxNeedsAllImages) {
  const auto refusal = [](Sides box, double radius, Images images) {
    SearchOptions options = in_box(std::move(box), 1);
    options.radius = radius;
    options.images = images;
    return refusal_of_box(options);
  };
  const std::string rest = "; take --images all, with which every image is a neighbour";
  EXPECT_EQ(refusal({5, 2, 3}, 0.999, Images::nearest), "");
  EXPECT_EQ(refusal({5, 2, 3}, 1, Images::nearest),
            "--radius 1: --periodic must repeat after more than twice that, got 2" + rest);
  EXPECT_EQ(refusal({5, 2, 0}, 1, Images::all), "");
  EXPECT_EQ(refusal({2, 1, 2, 2, 0, 0}, 0.49, Images::nearest), "");
  EXPECT_EQ(refusal({2, 1, 2, 2, 0, 0}, 0.51, Images::nearest),
            "--radius 0.51: --periodic must repeat after more than twice that, got 1" + rest);
  EXPECT_EQ(refusal({1, 1, 1}, 20, Images::all),
            "--radius 20: a point has more than 10000 images of its own within it; take a smaller one");
  EXPECT_EQ(refusal({1, 1, 1}, 1e9, Images::all),
            "--radius 1e+09: a point has more than 10000 images of its own within it; take a smaller one");
  EXPECT_EQ(refusal({1, 1e-31, 1}, 0, Images::all),
            "--images all: --periodic must repeat after 1e-30 or more; scale the coordinates");
  EXPECT_EQ(refusal({}, 20, Images::all), "--images all needs --periodic, which says where they are");
}

/// A slab repeats across a query far above it so often that they cannot be counted one by one.
TEST(PeriodicOptions, AQueryWithTooManyImagesIsRefusedAtOnce) {
  const Sides slab{1, 1, 0}, slanted_slab{1, 0, 1, 0, 0.3, 0}, line{1, 0, 0, 0.3, 1, 0, 0, 0, 0}, long_box{1e5, 1, 1},
      slanted{1e5, 1, 1, 0, 0, 0.5}, lattice{0, 1, 0, -0.5, -0.25, 0.4, 0, 0.8, 0.4};
  for (const Sides& sides : {slab, slanted_slab, line, long_box, slanted, lattice})
    for (const double far : {4e4, 1e30, 1e100}) {
      if (far > 1e5 && (sides == long_box || sides == slanted || sides == lattice)) continue;  // it moves into the box
      SearchOptions options = in_box(sides, 3);
      options.images = Images::all;
      const Points data = to_points(uniform(9, 3, 1), 3), query{3, Array<double>{far, far, far}};
      EXPECT_EQ(refusal_of(ErrorKind::usage, [&] { search(data, query, options); }),
                sides == lattice
                    ? ""
                    : "--periodic: a query has more than 10000 images in reach; take a smaller --radius or "
                      "--k, or queries nearer to the data");
    }
}

TEST(PeriodicOptions, RowsPastHalfOfTheBoxAreCounted) {
  const Points data{2, Array<double>{0, 0, 1, 0, 5, 0}};
  EXPECT_EQ(search_self(data, in_box({10, 0}, 1)).report.warnings, std::vector<std::string>());
  EXPECT_EQ(search_self(data, in_box({8, 0}, 2)).report.warnings, std::vector<std::string>());  // half is none past it
  EXPECT_EQ(search_self(data, in_box({7, 0}, 2)).report.warnings, std::vector<std::string>());
  const Points queries{2, Array<double>{0, 0, 0, 9}};
  EXPECT_EQ(search(data, queries, in_box({8, 0}, 1)).report.warnings.at(0),
            "--periodic: 1 row has a neighbour farther than half of 8, after which the box repeats: a point is a "
            "neighbour once, by its nearest image, and others that are as near are left out; --images all has them");
}

TEST(PeriodicOptions, OptionsOfTheShiftedSortAreRefused) {
  const SearchOptions box = in_box({1, 1, 1}, 4);
  const auto with = [&](auto change) {
    SearchOptions options = box;
    change(options);
    return refusal_of_box(options);
  };
  const std::string rest = " is for approximate answers; it needs --method shifted-sort or paper";
  EXPECT_EQ(with([](auto& o) { o.shifts = 3; }), "--shifts" + rest);
  EXPECT_EQ(with([](auto& o) { o.window = 9; }), "--window" + rest);
  EXPECT_EQ(with([](auto& o) { o.method = Method::shifted_sort; }),
            "--method shifted-sort does not go with --periodic, whose answer is exact");
  EXPECT_EQ(with([](auto& o) { o.method = Method::paper; }),
            "--method paper does not go with --periodic, whose answer is exact");
}

}  // namespace
}  // namespace kann::test
