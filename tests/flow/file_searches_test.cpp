// Searches from files have the answers of searches in memory, byte for byte: a table of clouds, sizes, types, radii and
// boxes, of which each row is searched in pieces, in tiles and by ranks, for the nearest, for lists and for clusters.
#include "file_searches.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clouds.hpp"
#include "part.hpp"

namespace kann::test {
namespace {

/// The median distance to the 8th neighbour: a radius with which lists have some neighbours.
double some_radius(const MemorySource& data) {
  const Neighbors found = search_self(data.view(), on_cpu(8)).neighbors;
  std::vector<float> distances;
  for (std::size_t last = 7; last < found.distances.size(); last += 8) distances.push_back(found.distances[last]);
  std::ranges::nth_element(distances, distances.begin() + std::ssize(distances) / 2);
  return distances[distances.size() / 2];
}

/// The search of the queries in the data; that of the data in themselves; and one that includes the points themselves.
void expect_all_as_in_memory(FileSearchCase c) {
  expect_as_in_memory(c);
  c.queries.reset();
  c.name += ", self";
  expect_as_in_memory(c);
  c.search.include_self = true;
  c.name += ", with the points themselves";
  expect_as_in_memory(c);
}

TEST(FileSearches, FindTheSameInClouds) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t tile_points : {40, 200, 1 << 20})  // several tiles a rank, or one
        for (const bool has_radius : {false, true})
          for (const bool is_self : {false, true}) {
            if (!part.takes_next()) continue;
            FileSearchCase c{.name = kind.name + " " + std::to_string(d) + "-D, tiles of " +
                                     std::to_string(tile_points) + (has_radius ? ", radius" : "") +
                                     (is_self ? ", self" : ""),
                             .data = {d, kind.make(600, d, 1)},
                             .queries = {},
                             .search = on_cpu(6),
                             .tile_points = tile_points,
                             .piece_queries = 150};
            if (has_radius) c.search.radius = some_radius(c.data);
            if (!is_self) c.queries = MemorySource(d, kind.make(250, d, 2));
            if (tile_points > 700) c.ranks = {has_radius ? 2 : 8};
            expect_as_in_memory(c);
          }
}

/// Rows are full, shortened or empty, and float64 queries have float32 data.
TEST(FileSearches, FindTheSameWithinTinyAndHugeRadii) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const double factor : {0., 1e-300, 1.1, 1e300}) {
        if (!part.takes_next()) continue;
        const MemorySource data(d, kind.make(500, d, 8));
        const Coordinates c = kind.make(300, d, 9);
        const double radius = factor == 1.1 ? factor * some_radius(data) : factor;
        const FileSearchCase queries{.name = kind.name + " " + std::to_string(d) + "-D, R " + std::to_string(radius),
                                     .data = data,
                                     .queries = MemorySource(d, Doubles(c.begin(), c.end())),
                                     .search = on_cpu(6, radius)};
        expect_rows_in_pieces(queries);
        expect_rows_in_tiles(queries);
      }
}

TEST(FileSearches, TakeAnyNumbersOfPointsAndNeighbours) {
  Part part;
  const std::pair<std::int64_t, std::optional<double>> asked[] = {{1, {}}, {70, {}}, {8, .2}, {8, 0}, {4, 1e300}};
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 64, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const auto& [k, radius] : asked) {
        if (!part.takes_next()) continue;
        expect_all_as_in_memory({.name = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k) +
                                         " within " + std::to_string(radius.value_or(-1)),
                                 .data = {3, uniform(n, 3, 3)},
                                 .queries = MemorySource(3, uniform(m, 3, 4)),
                                 .search = on_cpu(k, radius),
                                 .tile_points = 8,
                                 .piece_queries = 32});
      }
}

TEST(FileSearches, TakeMoreRanksThanPoints) {
  for (const std::int64_t n : {0, 1, 3})
    expect_all_as_in_memory({.name = std::to_string(n) + " points",
                             .data = {3, uniform(n, 3, 3)},
                             .queries = MemorySource(3, uniform(5, 3, 4)),
                             .search = on_cpu(2, .7),
                             .ranks = {8}});
}

/// Map coordinates, some of which are on the faces of a box, and some not finite.
Doubles map_coordinates(std::int64_t n, std::uint64_t seed) {
  Random r(seed);
  Doubles c;
  for (std::int64_t i = 0; i < 3 * n; ++i) {
    const double origin = i % 3 == 0 ? 500000 : 5200000;
    c.push_back(origin + 100 * r.uniform());
    if (r.below(20) == 0) c.back() = r.below(2) == 0 ? origin : origin + 100;
    if (r.below(100) == 0) c.back() = std::numeric_limits<double>::quiet_NaN();
  }
  return c;
}

TEST(FileSearches, TakeFloat64BothTypesAndPointsThatAreSkipped) {
  const Doubles some = map_coordinates(200, 9);
  const MemorySource data(3, map_coordinates(500, 7)), queries(3, map_coordinates(250, 8)),
      floats(3, Coordinates(some.begin(), some.end()));
  for (const std::vector<double>& box : {std::vector<double>{}, {100, 100, 100}, {33.3, 0, 250}})
    for (const std::optional<double>& radius : {std::optional<double>(), std::optional(11.)}) {
      FileSearchCase c{
          .name = "map, " + std::to_string(box.size()) + " sides, radius " + std::to_string(radius.value_or(-1)),
          .data = data,
          .queries = queries,
          .search = on_cpu(6, radius),
          .tile_points = 100};
      c.search.invalid = InvalidPoints::skip;
      c.search.periodic = box;
      expect_all_as_in_memory(c);
      c.queries = floats;
      c.name += ", float32 queries";
      expect_as_in_memory(c);
      std::swap(c.data, *c.queries);
      c.name += ", float32 data";
      expect_as_in_memory(c);
    }
}

/// Pieces without a valid point, and of one point.
TEST(FileSearches, SkipWholePieces) {
  Coordinates c = uniform(600, 3, 6);
  for (const std::size_t i : {0u, 5u, 599u, 1799u}) c[i] = k_nan;
  for (std::size_t i = 540; i < 1080; ++i) c[i] = k_infinity;  // two whole pieces of 90
  for (const std::int64_t piece : {1, 90, 301})
    for (const double radius : {0., .1, 9.}) {
      FileSearchCase data{.name = "pieces of " + std::to_string(piece) + ", radius " + std::to_string(radius),
                          .data = {3, c},
                          .queries = {},
                          .search = on_cpu(6, radius),
                          .piece_queries = piece,
                          .ranks = {2}};
      data.search.invalid = InvalidPoints::skip;
      expect_rows_in_pieces(data);
      expect_rows_in_tiles(data);
      data.queries = data.data;
      expect_rows_in_pieces(data);
    }
}

TEST(FileSearches, CountDistancesPastFloat32) {
  Coordinates c = uniform(400, 3, 6), q = uniform(500, 3, 7);
  for (float& x : c) x *= 3e38F;
  for (float& x : q) x *= -3e38F;
  FileSearchCase wide{
      .name = "wide", .data = {3, c}, .queries = MemorySource(3, q), .search = on_cpu(32), .tile_points = 100};
  EXPECT_TRUE(std::ranges::any_of(in_memory(wide).report.warnings, [](const std::string& warning) {
    return warning.ends_with(" distances are larger than float32 can hold and are written as inf");
  }));
  expect_as_in_memory(wide);
}

/// Sides, of which 0 is none, or the numbers of a slanted box; in 2-D, the first two sides.
std::vector<double> of_dimensions(std::vector<double> box, int d) {
  if (box.size() == 3) box.resize(static_cast<std::size_t>(d));
  return box;
}

TEST(FileSearches, GoOverTheFacesOfPeriodicBoxes) {
  Part part;
  const std::vector<double> boxes[] = {
      {1, 1, 1}, {.7, 2.5, 0}, {0, .1, 1}, {1, .8, .9, .4, -.3, .2}, {.5, .3, 0, .2, 0, 0}};
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::vector<double>& box : boxes) {
        if (!part.takes_next() || (d == 2 && box.size() > 3)) continue;
        FileSearchCase c{.name = kind.name + " " + std::to_string(d) + "-D, side " + std::to_string(box[0]),
                         .data = {d, kind.make(700, d, 1)},
                         .queries = MemorySource(d, kind.make(300, d, 2)),
                         .search = on_cpu(6),
                         .tile_points = 150};
        c.search.periodic = of_dimensions(box, d);
        expect_all_as_in_memory(c);
      }
}

/// With a large radius, several images of a query find the same point, which is then as many neighbours.
TEST(FileSearches, KnowTheRadiusInPeriodicBoxes) {
  Part part;
  const std::vector<double> boxes[] = {{1, 1, 1}, {.7, 2.5, 0}, {1, .8, .9, .4, -.3, .2}};
  for (const CloudKind& kind : {all_clouds()[0], all_clouds()[1]})
    for (const int d : {2, 3})
      for (const std::vector<double>& box : boxes)
        for (const double radius : {0., .04, .3, .8}) {
          if (!part.takes_next() || (d == 2 && box.size() > 3)) continue;
          FileSearchCase c{.name = kind.name + " " + std::to_string(d) + "-D, side " + std::to_string(box[0]) +
                                   ", radius " + std::to_string(radius),
                           .data = {d, kind.make(160, d, 1)},
                           .queries = MemorySource(d, kind.make(70, d, 2)),
                           .search = on_cpu(4, radius)};
          c.search.periodic = of_dimensions(box, d);
          if (radius < .35) expect_all_as_in_memory(c);
          c.search.images = Images::all;
          c.name += ", all images";
          if (radius > .2) expect_all_as_in_memory(c);
        }
}

TEST(FileSearches, TakeAnyNumbersOfPointsAndImages) {
  Part part;
  const std::vector<double> boxes[] = {{.5, 1, 1}, {1, .8, .9, .4, -.3, .2}};
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const std::int64_t k : {1, 5, 70})
        for (const std::vector<double>& box : boxes)
          for (const Images images : {Images::nearest, Images::all}) {
            if (!part.takes_next()) continue;
            FileSearchCase c{.name = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k) +
                                     (images == Images::all ? ", all images" : ""),
                             .data = {3, uniform(n, 3, 3)},
                             .queries = MemorySource(3, uniform(m, 3, 4)),
                             .search = on_cpu(k),
                             .tile_points = 20};
            c.search.periodic = box;
            c.search.images = images;
            expect_all_as_in_memory(c);
          }
}

/// Longitudes and latitudes in clusters, at the poles and on both sides of 180 degrees.
Doubles angles(std::int64_t n, std::uint64_t seed) {
  Random r(seed);
  Doubles c;
  for (std::int64_t i = 0; i < n; ++i) {
    const bool is_polar = r.below(4) == 0;
    c.push_back(is_polar ? 360 * r.uniform() : 180 + 4 * r.normal());
    c.push_back(is_polar ? 90 - .01 * static_cast<double>(r.below(50)) : std::clamp(30 * r.normal(), -90., 90.));
  }
  return c;
}

TEST(FileSearches, FindTheSameOnTheSphere) {
  for (const std::optional<double>& radius : {std::optional<double>(), std::optional(0.), std::optional(2.5)}) {
    FileSearchCase c{.name = "sky, radius " + std::to_string(radius.value_or(-1)),
                     .data = {2, angles(500, 1)},
                     .queries = MemorySource(2, angles(300, 2)),
                     .search = on_cpu(5, radius)};
    c.search.sky = AngleUnit::deg;
    expect_all_as_in_memory(c);
  }
}

}  // namespace
}  // namespace kann::test
