// The shifted sort by tiles with a radius has the rows, the counts and the recall of a search in memory with it.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "float64_clouds.hpp"
#include "part.hpp"
#include "tiles/shifted_tiles.hpp"

namespace kann::test {
namespace {

/// 0, a distance that a row has, and numbers beside it and beyond all.
std::set<double> radii_of(const Neighbors& rows) {
  std::set<double> radii{0, 1e-300, 1e300};
  const float distance = rows.distances[rows.distances.size() / 2 + 2];
  if (std::isfinite(distance))
    for (const double factor : {1.0, 0.9, 1.1}) radii.insert(distance * factor);
  return radii;
}

/// In tiles of several sizes, by one, two and three ranks in turn.
template <class T, class Q = T>
void expect_rows_within(const MemorySource<T>& data, const MemorySource<Q>* queries, const tiles::TileOptions& asked,
                        const std::string& what) {
  const SearchResult all =
      queries ? kann::search(data.view(), queries->view(), asked.search) : search_self(data.view(), asked.search);
  tiles::TileOptions options = asked;
  int turn = 0;
  for (const double radius : radii_of(all.neighbors)) {
    options.search.radius = radius;
    options.sizes.tile_points = std::array{60, 300, 1 << 20}[turn % 3];
    const int ranks = std::array{1, 3, 1, 2}[turn % 4];
    ++turn;
    const std::string name = what + ", R " + std::to_string(radius) + " (" + std::to_string(turn) + ")";
    const SearchReport want = expect_rows_in_memory(data, queries, options, ranks, name);
    EXPECT_EQ(want.doubtful, all.report.doubtful) << name;
  }
}

template <class T>
void expect_self_within(const MemorySource<T>& data, const tiles::TileOptions& options, const std::string& what) {
  expect_rows_within<T>(data, static_cast<MemorySource<T>*>(nullptr), options, what + ", self");
}

TEST(ShiftedRadius, HasTheRowsOfASearchInMemory) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3}) {
      if (!part.takes_next()) continue;
      const MemorySource<float> data(d, kind.make(900, d, 1)), queries(d, kind.make(250, d, 2));
      const std::string what = kind.name + " " + std::to_string(d) + "-D";
      expect_rows_within(data, &queries, options_of(8, 0), what);
      expect_self_within(data, options_of(5, 0), what);
    }
}

TEST(ShiftedRadius, HasThoseOfFloat64) {
  Part part;
  for (const Float64CloudKind& kind : float64_clouds())
    for (const int d : {2, 3}) {
      if (!part.takes_next()) continue;
      const Doubles q = kind.make(250, d, 4);
      const MemorySource<double> data(d, kind.make(700, d, 3)), queries(d, q);
      const std::string what = kind.name + " " + std::to_string(d) + "-D";
      expect_rows_within(data, &queries, options_of(9, 0), what);
      expect_self_within(data, options_of(6, 0), what);
      if (kind.name == "large_squares") continue;
      const MemorySource<float> narrow(d, std::vector<float>(q.begin(), q.end()));
      expect_rows_within(data, &narrow, options_of(4, 0), what + ", float32 queries");
      expect_rows_within(narrow, &data, options_of(4, 0), what + ", float32 data");
    }
}

/// A lattice whose points are there three times: most neighbours are exactly at the radius, and more than k.
TEST(ShiftedRadius, TakesWhatIsAtIt) {
  Part part;
  constexpr std::int64_t n = 3 * 7 * 7 * 9;
  Doubles c;
  for (int i = 0; i < n; ++i)
    for (const int x : {i / 3 % 7, i / 21 % 7, i / 147}) c.push_back(1e6 + 0.5 * x);
  const MemorySource<double> data(3, c);
  for (const std::int64_t k : {1, 9, 15})
    for (const double radius : {0.5, std::nextafter(0.5, 0), std::nextafter(0.5, 1), 1.0, 0.0})
      for (const int ranks : {1, 2, 3}) {
        if (!part.takes_next()) continue;
        tiles::TileOptions options = options_of(k, 50 * ranks);
        options.search.radius = radius;
        const std::string what = "k " + std::to_string(k) + ", R " + std::to_string(radius);
        const SearchReport report = expect_self_in_memory(data, options, ranks, what);
        if (radius < 0.5) {
          EXPECT_EQ(report.within_radius, n * std::min<std::int64_t>(k, 2)) << what;
        }
        if (radius >= 0.5 && k <= 9) {  // a corner has 2 + 9
          EXPECT_EQ(report.full_rows, n) << what;
        }
        options.search.include_self = true;
        expect_self_in_memory(data, options, ranks, what + ", with themselves");
      }
}

TEST(ShiftedRadius, TakesAnyNumbersOfPointsAndNeighbours) {
  Part part;
  for (const std::int64_t n : {0, 1, 2, 9, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const std::int64_t k : {1, 8, 70})
        for (const double radius : {0.0, 0.2, 5.0}) {
          if (!part.takes_next()) continue;
          const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(m, 3, 4));
          tiles::TileOptions options = options_of(k, 8);
          options.search.radius = radius;
          const std::string what = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k);
          expect_rows_in_memory(data, &queries, options, 1 + static_cast<int>(k % 3), what);
          if (m == 0) expect_self_in_memory(data, options, 2, what + " self");
        }
}

/// Rows that a window leaves short are counted before the radius takes more out of them.
TEST(ShiftedRadius, GoesWithWindowsShiftsAndBits) {
  Part part;
  for (const CloudKind& kind : tied_clouds())
    for (const std::int64_t window : {1, 4, 400})
      for (const int shifts : {1, 3}) {
        if (!part.takes_next()) continue;
        tiles::TileOptions options = options_of(6, 0);
        options.search.window = window;
        options.search.shifts = shifts;
        if (shifts == 3) options.search.bits = 9;
        const MemorySource<float> data(3, kind.make(700, 3, 5)), queries(3, kind.make(300, 3, 6));
        const std::string what = kind.name + " window " + std::to_string(window);
        expect_rows_within(data, &queries, options, what);
        options.search.include_self = true;
        expect_self_within(data, options, what);
      }
}

TEST(ShiftedRadius, LeavesOutWhatIsNotFinite) {
  Coordinates c = uniform(1500, 3, 6), q = uniform(1600, 3, 7);
  for (const std::size_t i : {0u, 301u, 2099u, 4499u}) c[i] = NAN;
  for (std::size_t i = 0; i < 300; ++i) q[7 * i] = INFINITY;
  const MemorySource<float> data(3, c), queries(3, q);
  for (const std::int64_t window : {0, 5}) {
    tiles::TileOptions options = options_of(12, 0);
    options.search.invalid = InvalidPoints::skip;
    if (window > 0) options.search.window = window;
    expect_rows_within(data, &queries, options, "invalid");
    expect_self_within(data, options, "invalid");
  }
}

/// All squared distances are 0 in float64, and not all points are within the radius: an exact row, of the first points,
/// may have fewer of those than an approximate one.
TEST(ShiftedRadius, TellsApartWhatHasNoSquares) {
  Doubles c = fine(500, 3, 9);
  for (double& x : c) x *= 1e-170;
  const MemorySource<double> data(3, c);
  for (const double radius : {0., 1e-171, 3e-171, 5e-171, 1e-170, 1e-160})
    for (const std::int64_t window : {0, 12}) {
      tiles::TileOptions options = options_of(7, 90);
      if (window > 0) options.search.window = window;
      options.search.radius = radius;
      for (const int ranks : {1, 3}) expect_self_in_memory(data, options, ranks, std::to_string(radius / 1e-170));
    }
}

/// Of a wide cloud, some neighbours are past float32, and some of those beyond the radius.
TEST(ShiftedRadius, CountsWhatIsPastFloat32) {
  Doubles c = fine(900, 3, 8);
  for (double& x : c) x *= 2e39;
  const MemorySource<double> data(3, c);
  std::int64_t most = 0, least = std::numeric_limits<std::int64_t>::max();
  for (const double radius : {1e38, 3.5e38, 4.5e38, 1e40}) {
    tiles::TileOptions options = options_of(30, 100);
    options.search.radius = radius;
    const SearchReport report = expect_self_in_memory(data, options, 2, std::to_string(radius));
    most = std::max(most, *report.within_radius);
    least = std::min(least, *report.within_radius);
  }
  EXPECT_EQ(most, 900 * 30);
  EXPECT_LT(least, most / 10);
}

}  // namespace
}  // namespace kann::test
