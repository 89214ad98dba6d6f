// The lists of all neighbours by tiles and ranks are those of a search in memory, whatever the tiles are.
#include "flow/lists_in_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kann/error.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "flow/ranks/threads.hpp"
#include "flow/routes/ball_queries.hpp"
#include "flow/routes/tile_store.hpp"
#include "memory_source.hpp"
#include "part.hpp"
#include "taken_lists.hpp"

namespace kann::test {
namespace {

using flow::FileSearchOptions;

/// Only the neighbours with larger numbers, and one of each two of a point's own images.
Lists half(const Lists& all) {
  Lists some{{0}, {}, {}};
  for (std::size_t row = 0; row + 1 < all.begins.size(); ++row) {
    bool is_first = false;
    for (auto i = static_cast<std::size_t>(all.begins[row]); i < static_cast<std::size_t>(all.begins[row + 1]); ++i) {
      const bool is_own = all.ids[i] == static_cast<std::int64_t>(row), is_image = is_own && all.distances[i] > 0;
      is_first ^= is_image;
      if (is_own ? !is_image || !is_first : all.ids[i] < static_cast<std::int64_t>(row)) continue;
      some.ids.push_back(all.ids[i]);
      some.distances.push_back(all.distances[i]);
    }
    some.begins.push_back(std::ssize(some.ids));
  }
  return some;
}

FileSearchOptions list_options(double radius, std::int64_t tile_points, base::MemoryBudget& memory) {
  FileSearchOptions options;
  options.search.k = 1;
  options.search.radius = radius;
  options.search.threads = 2;
  options.search.device.kind = DeviceKind::cpu;
  options.sizes = {.tile_points = tile_points,
                   .piece_queries = 800,
                   .block_rows = 77,
                   .listed = 1000,
                   .merged = 1000,
                   .read_points = 300,
                   .chunk_bytes = 1000};
  options.folder = std::filesystem::temp_directory_path();
  options.memory = &memory;
  return options;
}

template <class T, class Q = T>
Lists in_memory(const MemorySource<T>& data, const MemorySource<Q>* queries, const SearchOptions& options) {
  const RadiusResult result =
      queries ? search_radius(data.view(), queries->view(), options) : search_radius_self(data.view(), options);
  return taken(one_block(result.lists, data.size()));
}

template <class T, class Q = T>
void expect_lists(const MemorySource<T>& data, const MemorySource<Q>* queries, SearchOptions search,
                  std::int64_t tile_points, const std::string& what) {
  const Lists all = in_memory(data, queries, search);
  for (const bool is_half : {false, true}) {
    if (is_half && queries) continue;
    const Lists want = is_half ? half(all) : all;
    for (const int count : {1, 3})
      flow::run_on_threads(count, [&](flow::Communicator& ranks) {
        const std::string by = what + (is_half ? ", half, " : ", ") + std::to_string(count) + " ranks";
        base::MemoryBudget memory;
        FileSearchOptions options = list_options(*search.radius, tile_points, memory);
        options.search = search;
        {
          std::int64_t most = -1;
          const flow::ListRequest request{is_half, false, [&](const flow::CountedLists& counted) {
                                            most = counted.neighbors;
                                            EXPECT_TRUE(!counted.is_exact || most == std::ssize(want.ids)) << by;
                                            EXPECT_GE(counted.temporary_bytes, 8 * static_cast<double>(most)) << by;
                                          }};
          const flow::FileLists found = flow::lists_in_tiles({data, queries, options, ranks}, request, ranks);
          EXPECT_GE(most, search.periodic.empty() ? std::ssize(want.ids) : 0) << by;
          EXPECT_EQ(found.neighbors, std::ssize(want.ids)) << by;
          EXPECT_EQ(found.report.ranks, count);
          if (ranks.rank() > 0) {
            found.store->serve();
          } else {
            for (int time = 0; time < 2; ++time)  // they come as often as asked for
              EXPECT_TRUE(taken(found.store->results()) == want) << by;
            found.store->end_service();
          }
          EXPECT_EQ(flow::lists_in_tiles({data, queries, options, ranks}, {is_half, true, {}}, ranks).neighbors,
                    std::ssize(want.ids))
              << by << ", counted";
        }
        EXPECT_EQ(memory.in_use(), 0) << by;
      });
  }
}

constexpr MemorySource<float>* k_no_queries = nullptr;

/// The distance of a query to its 8th neighbour, as a radius with which lists have some neighbours.
template <class T>
double some_radius(const MemorySource<T>& data) {
  SearchOptions options;
  options.k = 8;
  options.device.kind = DeviceKind::cpu;
  const Neighbors found = search_self(data.view(), options).neighbors;
  std::vector<float> distances;
  for (std::int64_t query = 0; query < found.queries; ++query)
    distances.push_back(found.distances[static_cast<std::size_t>(query * found.k + found.k - 1)]);
  std::ranges::nth_element(distances, distances.begin() + std::ssize(distances) / 2);
  return distances[distances.size() / 2];
}

SearchOptions search_within(double radius, std::vector<double> box = {}) {
  base::MemoryBudget unused;
  SearchOptions options = list_options(radius, 1, unused).search;
  options.periodic = std::move(box);
  return options;
}

TEST(ListsInTiles, AreThoseOfASearchInMemory) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t tile_points : {60, 300}) {
        if (!part.takes_next()) continue;
        const MemorySource<float> data(d, kind.make(600, d, 1)), queries(d, kind.make(250, d, 2));
        const std::string what = kind.name + " " + std::to_string(d) + "-D, tiles of " + std::to_string(tile_points);
        const SearchOptions search = search_within(some_radius(data));
        expect_lists(data, &queries, search, tile_points, what);
        expect_lists(data, k_no_queries, search, tile_points, what + ", self");
      }
}

TEST(ListsInTiles, TakeAnyNumbersOfPointsAndRadii) {
  Part part;
  for (const std::int64_t n : {0, 1, 2, 65})
    for (const std::int64_t m : {0, 65})
      for (const double radius : {0., .2, 1e300}) {
        if (!part.takes_next()) continue;
        const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(m, 3, 4));
        const std::string what = std::to_string(n) + " x " + std::to_string(m) + " within " + std::to_string(radius);
        expect_lists(data, &queries, search_within(radius), 8, what);
        SearchOptions self = search_within(radius);
        expect_lists(data, k_no_queries, self, 8, what + ", self");
        self.include_self = true;
        expect_lists(data, k_no_queries, self, 8, what + ", with the points themselves");
      }
}

TEST(ListsInTiles, TakeFloat64BothTypesAndPointsThatAreSkipped) {
  Random r(5);
  std::vector<double> c;
  for (int i = 0; i < 2100; ++i) c.push_back((i % 3 == 0 ? 500000 : 5200000) + 100 * r.uniform());
  for (const std::size_t i : {0u, 301u, 2099u}) c[i] = NAN;
  const MemorySource<double> data(3, c);
  SearchOptions search = search_within(15);
  search.invalid = InvalidPoints::skip;
  expect_lists(data, static_cast<MemorySource<double>*>(nullptr), search, 100, "map");
  const MemorySource<float> queries(3, std::vector<float>(c.begin(), c.begin() + 600));
  expect_lists(data, &queries, search, 100, "float32 queries");
  expect_lists(queries, &data, search, 100, "float32 data");
}

/// With a large radius, several images of a query find the same point, which is then as many neighbours.
TEST(ListsInTiles, AreFoundInPeriodicBoxes) {
  Part part;
  const std::vector<double> boxes[] = {{1, 1, 1}, {.7, 2.5, 0}, {1, .8, .9, .4, -.3, .2}};
  for (const CloudKind& kind : {all_clouds()[0], all_clouds()[1]})
    for (const int d : {2, 3})
      for (std::vector<double> box : boxes)
        for (const double radius : {.04, .3, .8}) {
          if (!part.takes_next() || (d == 2 && box.size() > 3)) continue;
          if (box.size() == 3) box.resize(static_cast<std::size_t>(d));
          const MemorySource<float> data(d, kind.make(250, d, 1)), queries(d, kind.make(90, d, 2));
          const std::string what = kind.name + " " + std::to_string(d) + "-D, side " + std::to_string(box[0]) +
                                   ", radius " + std::to_string(radius);
          SearchOptions self = search_within(radius, box);
          if (radius > .1) self.images = Images::all;
          expect_lists(data, &queries, self, 60, what);
          expect_lists(data, k_no_queries, self, 60, what + ", self");
          self.include_self = true;
          expect_lists(data, k_no_queries, self, 60, what + ", with the points themselves");
        }
}

TEST(ListsInTiles, RefuseWhatASearchInMemoryRefuses) {
  Coordinates c = uniform(700, 3, 6);
  c[2000] = NAN;
  const MemorySource<float> data(3, c);
  base::MemoryBudget memory;
  try {
    flow::run_on_threads(3, [&](flow::Communicator& ranks) {
      flow::lists_in_tiles({data, nullptr, list_options(.1, 60, memory), ranks}, {}, ranks);
    });
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "cloud: 1 of 700 points have NaN or infinite coordinates (first: 666); use --invalid skip");
  }
}

/// What the caller refuses when the neighbours are counted is not listed.
TEST(ListsInTiles, StopWhenThereIsNoRoom) {
  const MemorySource<float> data(3, uniform(500, 3, 6));
  base::MemoryBudget memory;
  for (const int count : {1, 3}) {
    const auto refuse = [](const flow::CountedLists& counted) {
      throw Error(ErrorKind::resources, std::to_string(counted.neighbors) + " are too many");
    };
    try {
      flow::run_on_threads(count, [&](flow::Communicator& ranks) {
        flow::lists_in_tiles({data, nullptr, list_options(1e9, 60, memory), ranks}, {false, false, refuse}, ranks);
      });
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "249500 are too many");
    }
  }
}

/// With a large radius, queries go to all tiles: nothing is written where the disk does not hold them.
TEST(BallQueries, RefuseWhatTheDiskDoesNotHold) {
  const MemorySource<float> data(3, uniform(500, 3, 6)), queries(3, uniform(200, 3, 7));
  base::MemoryBudget memory;
  const FileSearchOptions options = list_options(1e9, 60, memory);
  const flow::Ball ball{.radius = 1e9, .sq_bound = 1e18, .images = nullptr};
  flow::Alone alone;
  for (const bool is_self : {true, false}) {
    flow::TileStore<float> store(data, is_self ? nullptr : &queries, options, alone);
    flow::BallQueries<float> asked(store, ball, options, alone);
    std::int64_t seen = 0;
    const auto see = [&](std::span<const std::int64_t> numbers) { seen += std::ssize(numbers); };
    try {
      asked.send(is_self, 1e20, see);
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      const std::string message = e.what();
      EXPECT_EQ(e.kind(), ErrorKind::resources);
      EXPECT_TRUE(message.starts_with(options.folder + ": temporary files need at least ")) << message;
      EXPECT_TRUE(message.ends_with(" are free; --temp-folder takes another folder")) << message;
    }
    EXPECT_EQ(seen, 0);
    for (std::size_t tile = 0; tile < store.size(); ++tile) EXPECT_FALSE(asked.has(tile));
    asked.send(is_self, 1, see);
    EXPECT_EQ(seen, is_self ? 500 : 200);
    for (std::size_t tile = 0; tile < store.size(); ++tile) EXPECT_TRUE(asked.has(tile));
  }
}

/// A list that is longer than what is held at a time needs memory of its own.
TEST(ListsInTiles, RefuseAListThatDoesNotFit) {
  const MemorySource<float> data(3, identical(300, 3, 1));
  for (const double limit : {1e9, 1.}) {
    base::MemoryBudget memory(limit);
    flow::Alone alone;
    FileSearchOptions options = list_options(0, 60, memory);
    options.sizes.listed = options.sizes.merged = 90;
    const flow::FileLists found = flow::lists_in_tiles({data, nullptr, options, alone}, {}, alone);
    EXPECT_EQ(found.neighbors, 300 * 299);
    try {
      EXPECT_EQ(std::ssize(taken(found.store->results()).ids), 300 * 299);
      EXPECT_EQ(limit, 1e9) << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(limit, 1);
      EXPECT_EQ(e.kind(), ErrorKind::resources);
      EXPECT_STREQ(
          e.what(),
          "host memory: the list of query 0 has 299 neighbours and needs 7368 bytes, 0 bytes are left; give more "
          "--max-memory, or a smaller --radius");
    }
  }
}

}  // namespace
}  // namespace kann::test
