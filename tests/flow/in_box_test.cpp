// Searches in a periodic box have the rows and the counts of one in memory, whatever the tiles and ranks are.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "clouds.hpp"
#include "flow/in_tiles.hpp"
#include "flow/memory_source.hpp"
#include "flow/ranks/threads.hpp"
#include "part.hpp"
#include "search/rows/candidates.hpp"

namespace kann::test {
namespace {

flow::FileSearchOptions periodic_options(std::int64_t k, std::int64_t tile_points, std::vector<double> sides) {
  flow::FileSearchOptions options;
  options.search.k = k;
  options.search.threads = 2;
  options.search.device.kind = DeviceKind::cpu;
  options.search.invalid = InvalidPoints::skip;
  options.search.periodic = std::move(sides);
  options.sizes = {
      .tile_points = tile_points, .piece_queries = 100, .block_rows = 77, .read_points = 300, .chunk_bytes = 1000};
  options.folder = std::filesystem::temp_directory_path();
  return options;
}

template <class T, class Q = T>
void expect_as_in_memory(const MemorySource<T>& data, const MemorySource<Q>* queries,
                         const flow::FileSearchOptions& options, const std::string& what) {
  const SearchResult want =
      queries ? kann::search(data.view(), queries->view(), options.search) : search_self(data.view(), options.search);
  for (const int ranks : {1, 3})
    flow::run_on_threads(ranks, [&](flow::Communicator& own) {
      const flow::FileSearchResult answer = flow::in_tiles({data, queries, options, own}, own);
      const std::string by = what + ", " + std::to_string(ranks) + " ranks";
      const RowBlocks own_rows = answer.rows.own_rows();
      const auto of_all = static_cast<std::size_t>(want.neighbors.k * own_rows.first);
      std::vector<std::int64_t> ids;
      std::vector<float> distances;
      own_rows.for_each([&](const Rows& rows) { append(rows, ids, distances); });
      EXPECT_EQ(ids.size(), static_cast<std::size_t>(want.neighbors.k * own_rows.queries)) << by;
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (ids[i] != want.neighbors.ids[of_all + i] || distances[i] != want.neighbors.distances[of_all + i]) {
          ADD_FAILURE() << by << ": query " << (of_all + i) / static_cast<std::size_t>(want.neighbors.k) << ": got "
                        << ids[i] << " at " << distances[i] << ", want " << want.neighbors.ids[of_all + i] << " at "
                        << want.neighbors.distances[of_all + i];
          break;
        }
      EXPECT_EQ(answer.report.rows.far_rows, detail::far_rows(options.search, want.neighbors)) << by;
      EXPECT_EQ(answer.report.data.invalid, want.report.data_skipped) << by;
      if (queries) {
        EXPECT_EQ(answer.report.query.invalid, want.report.query_skipped) << by;
      }
      if (options.search.radius) {
        EXPECT_EQ(answer.report.rows.neighbors, want.report.within_radius) << by;
        EXPECT_EQ(answer.report.rows.full_rows, want.report.full_rows) << by;
      }
    });
}

std::vector<double> first(int d, std::vector<double> sides) {
  if (sides.size() == 3) sides.resize(static_cast<std::size_t>(d));
  return sides;
}

constexpr MemorySource<float>* k_self = nullptr;

TEST(PeriodicTiles, HaveTheRowsOfASearchInMemory) {
  Part part;
  const std::vector<double> boxes[] = {
      {1, 1, 1}, {.7, 2.5, 0}, {0, .1, 1}, {1, .8, .9, .4, -.3, .2}, {.5, .3, 0, .2, 0, 0}};
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::vector<double>& box : boxes) {
        if (!part.takes_next() || (d == 2 && box.size() > 3)) continue;
        const MemorySource<float> data(d, kind.make(900, d, 1)), queries(d, kind.make(300, d, 2));
        const std::string what = kind.name + " " + std::to_string(d) + "-D, side " + std::to_string(box[0]);
        expect_as_in_memory(data, &queries, periodic_options(6, 150, first(d, box)), what);
        expect_as_in_memory(data, k_self, periodic_options(5, 150, first(d, box)), what + ", self");
      }
}

TEST(PeriodicTiles, TakeAnyNumbersOfPointsAndNeighbours) {
  Part part;
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const std::int64_t k : {1, 5, 70}) {
        if (!part.takes_next()) continue;
        const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(m, 3, 4));
        const std::string what = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k);
        expect_as_in_memory(data, &queries, periodic_options(k, 20, {.5, 1, 1}), what);
        flow::FileSearchOptions self = periodic_options(k, 20, {.5, 1, 1});
        expect_as_in_memory(data, k_self, self, what + ", self");
        self.search.include_self = true;
        expect_as_in_memory(data, k_self, self, what + ", with the points themselves");
        for (const std::vector<double>& box : {std::vector<double>{.5, 1, 1}, {1, .8, .9, .4, -.3, .2}}) {
          flow::FileSearchOptions all = periodic_options(k, 20, box);
          all.search.images = Images::all;
          expect_as_in_memory(data, &queries, all, what + ", all images");
          all.search.include_self = m == 1;
          expect_as_in_memory(data, k_self, all, what + ", all images, self");
        }
      }
}

TEST(PeriodicTiles, KnowTheRadius) {
  const MemorySource<float> data(3, uniform(1500, 3, 5)), queries(3, uniform(400, 3, 6));
  for (const double radius : {0., .03, .2, 1.4}) {
    flow::FileSearchOptions options = periodic_options(4, 200, {1, 1, .6});
    options.search.radius = radius;
    if (radius > 1) options.search.images = Images::all;
    const std::string what = "radius " + std::to_string(radius);
    expect_as_in_memory(data, &queries, options, what);
    expect_as_in_memory(data, k_self, options, what + ", self");
  }
}

/// Points in a box far from 0, on its faces, and some that are not finite.
std::vector<double> box_of_points(std::int64_t n, std::uint64_t seed) {
  Random r(seed);
  std::vector<double> c;
  for (std::int64_t i = 0; i < 3 * n; ++i) {
    c.push_back(5200000 + 100 * r.uniform());
    if (r.below(20) == 0) c.back() = r.below(2) == 0 ? 5200000 : 5200100;
    if (r.below(100) == 0) c.back() = std::numeric_limits<double>::quiet_NaN();
  }
  return c;
}

TEST(PeriodicTiles, TakeFloat64BothTypesAndPointsThatAreSkipped) {
  const MemorySource<double> data(3, box_of_points(1500, 7)), queries(3, box_of_points(400, 8));
  const std::vector<double> c = box_of_points(500, 9);
  const MemorySource<float> floats(3, std::vector<float>(c.begin(), c.end()));
  for (const std::vector<double>& box : {std::vector<double>{100, 100, 100}, {33.3, 0, 250}}) {
    const flow::FileSearchOptions options = periodic_options(6, 200, box);
    const std::string what = "side " + std::to_string(box[0]);
    expect_as_in_memory(data, &queries, options, what);
    expect_as_in_memory(data, &floats, options, what + ", float32 queries");
    expect_as_in_memory(floats, &data, options, what + ", float32 data");
    expect_as_in_memory(data, static_cast<MemorySource<double>*>(nullptr), options, what + ", self");
  }
}

TEST(CandidateRows, OfImagesHaveTheNearestOfEachNeighbour) {
  const auto at = [](double sq_dist, std::int64_t id) { return detail::Candidate{sq_dist, id & 0xff, false}; };
  const auto missing = detail::Candidate::missing();
  std::vector<detail::Candidate> scratch, row = {at(1, 5), at(2, 6), at(3, 7)}, none = {missing, missing, missing};
  detail::merge_images(row, std::vector{at(.5, 7), at(2, 4), missing, at(.7, 7), at(9, 9), missing}, true, scratch);
  detail::merge_images(none, std::vector{at(4, 1), missing, missing}, false, scratch);
  const auto pairs = [](const std::vector<detail::Candidate>& of) {
    std::vector<std::pair<double, std::int64_t>> all;
    for (const detail::Candidate& n : of) all.emplace_back(n.sq_dist, n.id);
    return all;
  };
  using Row = std::vector<std::pair<double, std::int64_t>>;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(pairs(row), (Row{{.5, 7}, {1, 5}, {2, 4}}));
  EXPECT_EQ(pairs(none), (Row{{4, 1}, {inf, -1}, {inf, -1}}));
}

}  // namespace
}  // namespace kann::test
