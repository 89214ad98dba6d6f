// The shifted sort by tiles has the rows, and the recall, of a search in memory, whatever the tiles and ranks are.
#include "tiles/shifted_sort.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "kann/error.hpp"

#include "clouds.hpp"
#include "part.hpp"
#include "tiles/shifted_tiles.hpp"

namespace kann::test {
namespace {

TEST(ShiftedTiles, HaveTheRowsOfASearchInMemory) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t tile_points : {40, 500}) {
        if (!part.takes_next()) continue;
        const MemorySource<float> data(d, kind.make(1500, d, 1)), queries(d, kind.make(400, d, 2));
        const std::string what = kind.name + " " + std::to_string(d) + "-D, tiles of " + std::to_string(tile_points);
        expect_rows_in_memory(data, &queries, options_of(8, tile_points), 1, what);
        expect_self_in_memory(data, options_of(5, tile_points), 1, what + ", self");
      }
}

TEST(ShiftedTiles, AreTheSameForAnyNumberOfRanks) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int count : {2, 3, 8}) {
      if (!part.takes_next()) continue;
      const MemorySource<float> data(3, kind.make(1500, 3, 3)), queries(3, kind.make(400, 3, 4));
      const std::string what = kind.name + ", " + std::to_string(count) + " ranks";
      const std::int64_t tile_points = count == 3 ? 100 : 1 << 20;
      expect_rows_in_memory(data, &queries, options_of(6, tile_points), count, what);
      expect_self_in_memory(data, options_of(9, tile_points), count, what + ", self");
    }
}

TEST(ShiftedTiles, TakeAnyNumbersOfPointsAndNeighbours) {
  for (const std::int64_t n : {0, 1, 2, 7, 9, 25, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const std::int64_t k : {1, 8, 70}) {
        const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(m, 3, 4));
        const std::string what = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k);
        expect_rows_in_memory(data, &queries, options_of(k, 8), 1 + static_cast<int>(k % 3), what);
        if (m == 0) expect_self_in_memory(data, options_of(k, 1), 1, what + " self");
      }
}

TEST(ShiftedTiles, TakeAnyShiftsWindowsAndBits) {
  Part part;
  for (const CloudKind& kind : tied_clouds())
    for (const int shifts : {1, 5})
      for (const std::int64_t window : {1, 30, 400})
        for (const int bits : {3, 63}) {
          if (!part.takes_next()) continue;
          tiles::TileOptions options = options_of(6, 50);
          options.search.shifts = shifts;
          options.search.window = window;
          options.search.bits = bits;
          const MemorySource<float> data(3, kind.make(600, 3, 5));
          expect_self_in_memory(data, options, 2, kind.name + " window " + std::to_string(window));
          options.search.include_self = true;
          options.search.window.reset();
          expect_self_in_memory(data, options, 1, kind.name + " with themselves");
        }
}

/// More than the sample, so that it is a part of the queries.
TEST(ShiftedTiles, HaveTheRecallOfASearchInMemory) {
  for (const CloudKind& kind : all_clouds()) {
    const MemorySource<float> data(3, kind.make(3000, 3, 6)), queries(3, kind.make(2000, 3, 7));
    tiles::TileOptions options = options_of(8, 300);
    options.search.window = 4;
    expect_rows_in_memory(data, &queries, options, 2, kind.name);
    expect_self_in_memory(data, options_of(8, 300), 1, kind.name + ", self");
  }
}

TEST(ShiftedTiles, TakeFloat64AndBothTypes) {
  Random r(5);
  std::vector<double> c;
  for (int i = 0; i < 6000; ++i) c.push_back((i % 3 == 0 ? 500000 : 5200000) + 100 * r.uniform());
  const MemorySource<double> data(3, c);
  expect_self_in_memory(data, options_of(8, 100), 1, "map");
  const MemorySource<float> queries(3, std::vector<float>(c.begin(), c.begin() + 600));
  expect_rows_in_memory(data, &queries, options_of(8, 100), 3, "float32 queries");
  const MemorySource<float> floats(3, uniform(2000, 3, 8));
  std::vector<double> q;
  for (int i = 0; i < 900; ++i) q.push_back(r.uniform());
  const MemorySource<double> doubles(3, q);
  expect_rows_in_memory(floats, &doubles, options_of(8, 100), 1, "float64 queries");
}

TEST(ShiftedTiles, LeaveOutWhatIsNotFinite) {
  Coordinates c = uniform(3000, 3, 6), q = uniform(2500, 3, 7);
  for (const std::size_t i : {0u, 301u, 2099u, 8999u}) c[i] = NAN;
  for (std::size_t i = 0; i < 300; ++i) q[7 * i] = INFINITY;
  const MemorySource<float> data(3, c), queries(3, q);
  tiles::TileOptions options = options_of(6, 60);
  options.search.invalid = InvalidPoints::skip;
  for (const int count : {1, 3}) {
    expect_rows_in_memory(data, &queries, options, count, "invalid");
    expect_self_in_memory(data, options, count, "invalid, self");
  }
  options.search.invalid = InvalidPoints::error;
  for (const MemorySource<float>* refused : {&data, &queries}) {
    const MemorySource<float> valid(3, uniform(100, 3, 8));
    comm::Alone alone;
    EXPECT_THROW(tiles::shifted_sort(refused == &data ? data : valid, &queries, options, alone), Error);
  }
}

}  // namespace
}  // namespace kann::test
