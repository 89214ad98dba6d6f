// The warnings of kann::search, on the CPU.
#include <gtest/gtest.h>
#include <string>

#include "kann/search.hpp"

#include "clouds.hpp"

namespace kann {
namespace {

SearchOptions cpu_options(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.device.kind = DeviceKind::cpu;
  return options;
}

TEST(SearchWarns, OfMissingNeighbours) {
  auto options = cpu_options(8);
  options.data_name = "pts.ply";
  const Points three = test::to_points(test::uniform(3, 3, 7), 3);
  const auto r = search(three, test::to_points(test::uniform(5, 3, 8), 3), options);
  ASSERT_EQ(r.report.warnings.size(), 1u);
  EXPECT_EQ(r.report.warnings[0], "k=8 but pts.ply has 3 points; missing neighbours are id -1, distance inf");
  options.k = 3;
  EXPECT_TRUE(search(three, three, options).report.warnings.empty());
  EXPECT_EQ(search_self(three, options).report.warnings.size(), 1u);
}

TEST(SearchWarns, OfCoordinatesTooFarApartForFloat32) {
  Array<double> coordinates;
  for (const float x : test::uniform(20000, 3, 1)) coordinates.push_back(50.0 * x + 5e6);
  const Points near{3, coordinates};
  SearchOptions options = cpu_options(8);
  options.data_name = "tiles.npy";
  EXPECT_TRUE(search_self(near, options).report.warnings.empty());

  Points tiles = near;
  auto& c = std::get<Array<double>>(tiles.coordinates);
  for (std::size_t i = 0; i < c.size() / 2; ++i) c[i] += 1e6;
  const auto warnings = search_self(tiles, options).report.warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(
      warnings[0].starts_with("tiles.npy: float32 rounds coordinates this far apart to 0.0298, and neighbours "
                              "are 2."))
      << warnings[0];
  EXPECT_TRUE(warnings[0].ends_with(" away: some may be wrong; --exact finds all"));
  options.method = Method::exact;  // has the coordinates as they were given
  EXPECT_TRUE(search_self(tiles, options).report.warnings.empty());
  options.method = Method::shifted_sort;

  // One far point, such as the (0, 0, 0) of a scan, costs the other points no precision.
  Points stray = near;
  auto& s = std::get<Array<double>>(stray.coordinates);
  s[0] = s[1] = s[2] = 0;
  EXPECT_TRUE(search_self(stray, options).report.warnings.empty());
}

TEST(SearchWarns, OfFarQueries) {
  const auto plane = test::to_points(test::plane(5000, 3, 1), 3);
  auto above = test::plane(500, 3, 2);
  for (std::size_t i = 2; i < above.size(); i += 3) above[i] += 0.2f;
  const Points queries = test::to_points(above, 3);
  const auto warnings = search(plane, queries, cpu_options(8)).report.warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "most queries stand off the data, with many points about as far: the approximate answer may miss many of "
            "the nearest; --exact finds all");

  SearchOptions exact = cpu_options(8);
  exact.method = Method::exact;
  EXPECT_TRUE(search(plane, queries, exact).report.warnings.empty());
  EXPECT_TRUE(
      search(plane, queries, cpu_options(4)).report.warnings.empty());  // a far query is recognised by eight neighbours
  for (const auto& kind : test::all_clouds())                           // a point of the data is no far query
    EXPECT_TRUE(search_self(test::to_points(kind.make(3000, 3, 3), 3), cpu_options(8)).report.warnings.empty())
        << kind.name;
}

}  // namespace
}  // namespace kann
