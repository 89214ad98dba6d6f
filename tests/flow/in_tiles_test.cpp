// The exact search by tiles has the rows of a search in memory, whatever the tiles are.
#include "flow/in_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>

#include "kann/error.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "flow/ranks/threads.hpp"
#include "memory_source.hpp"
#include "part.hpp"

namespace kann::test {
namespace {

template <class T, class Q = T>
flow::FileSearchReport expect_exact_rows(const MemorySource<T>& data, const MemorySource<Q>* queries,
                                         const flow::FileSearchOptions& options, const std::string& what) {
  SearchOptions search = options.search;
  const Neighbors want = queries ? kann::search(data.view(), queries->view(), search).neighbors
                                 : search_self(data.view(), search).neighbors;
  std::vector<std::int64_t> ids;
  std::vector<float> distances;
  flow::Alone alone;
  const flow::FileSearchResult answer = flow::in_tiles({data, queries, options, alone}, alone);
  for (int time = 0; time < 2; ++time) {  // they come as often as asked for
    ids.clear();
    distances.clear();
    answer.rows.results().for_each([&](const Rows& rows) {
      EXPECT_EQ(rows.first * options.search.k, static_cast<std::int64_t>(ids.size())) << what;
      append(rows, ids, distances);
    });
  }
  EXPECT_EQ(ids.size(), want.ids.size()) << what;
  for (std::size_t i = 0; i < std::min(ids.size(), want.ids.size()); ++i)
    if (ids[i] != want.ids[i] || distances[i] != want.distances[i]) {
      ADD_FAILURE() << what << ": query " << static_cast<std::int64_t>(i) / want.k << " rank "
                    << static_cast<std::int64_t>(i) % want.k << ": got " << ids[i] << " at " << distances[i]
                    << ", want " << want.ids[i] << " at " << want.distances[i];
      break;
    }
  return answer.report;
}

flow::FileSearchOptions exact_options(std::int64_t k, std::int64_t tile_points) {
  flow::FileSearchOptions options;
  options.search.k = k;
  options.search.threads = 2;
  options.search.device.kind = DeviceKind::cpu;
  options.sizes = {
      .tile_points = tile_points, .piece_queries = 100, .block_rows = 77, .read_points = 300, .chunk_bytes = 1000};
  options.folder = std::filesystem::temp_directory_path();
  return options;
}

TEST(TiledSearch, HaveTheRowsOfASearchInMemory) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t tile_points : {40, 500}) {
        const MemorySource<float> data(d, kind.make(1500, d, 1)), queries(d, kind.make(400, d, 2));
        const std::string what = kind.name + " " + std::to_string(d) + "-D, tiles of " + std::to_string(tile_points);
        const auto report = expect_exact_rows(data, &queries, exact_options(8, tile_points), what);
        EXPECT_GE(report.tiles, 1500 / (2 * tile_points)) << what;
        expect_exact_rows<float>(data, static_cast<MemorySource<float>*>(nullptr), exact_options(5, tile_points),
                                 what + ", self");
      }
}

TEST(TiledSearch, TakeAnyNumbersOfPointsAndNeighbours) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 63, 64, 65})
    for (const std::int64_t m : {0, 1, 65})
      for (const std::int64_t k : {1, 8, 70}) {
        const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(m, 3, 4));
        const std::string what = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k);
        expect_exact_rows(data, &queries, exact_options(k, 8), what);
        if (m == 0)
          expect_exact_rows<float>(data, static_cast<MemorySource<float>*>(nullptr), exact_options(k, 8),
                                   what + " self");
      }
}

TEST(TiledSearch, TakeFloat64AndBothTypes) {
  Random r(5);
  std::vector<double> c;
  for (int i = 0; i < 3000; ++i) c.push_back((i % 3 == 0 ? 500000 : 5200000) + 100 * r.uniform());
  const MemorySource<double> data(3, c);
  expect_exact_rows<double>(data, static_cast<MemorySource<double>*>(nullptr), exact_options(8, 100), "map");
  const MemorySource<float> queries(3, std::vector<float>(c.begin(), c.begin() + 600));
  expect_exact_rows(data, &queries, exact_options(8, 100), "float32 queries");
}

/// Has a point less the second time.
class ChangingSource : public MemorySource<float> {
 public:
  using MemorySource::MemorySource;
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    const bool is_changed = reads_++ > 0;
    MemorySource::for_each_block(begin, end, most, [&](std::int64_t row, const PointsView& points) {
      std::vector<float> c;
      for (std::int64_t i = 0; i < points.size(); ++i)
        for (int a = 0; a < 3; ++a) c.push_back(static_cast<float>(points.at(i, a)));
      if (is_changed && row == 0) c[0] = NAN;
      f(row, {3, std::span<const float>(c)});
    });
  }

 private:
  mutable int reads_ = 0;
};

TEST(TiledSearch, NoticeThatTheDataChange) {
  const ChangingSource data(3, uniform(300, 3, 8));
  try {
    flow::Alone alone;
    const flow::FileSearchOptions options = exact_options(4, 60);
    flow::in_tiles({data, nullptr, options, alone}, alone);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(e.what(), "cloud: changed while it was read");
  }
}

TEST(TiledSearch, LeaveOutWhatIsNotFinite) {
  Coordinates c = uniform(700, 3, 6), q = uniform(90, 3, 7);
  for (const std::size_t i : {0u, 301u, 2099u}) c[i] = NAN;
  q[100] = INFINITY;
  const MemorySource<float> data(3, c), queries(3, q);
  flow::FileSearchOptions options = exact_options(4, 60);
  options.search.invalid = InvalidPoints::skip;
  const auto report = expect_exact_rows(data, &queries, options, "invalid");
  EXPECT_EQ(report.data.invalid, 3);
  EXPECT_EQ(report.query.invalid, 1);
}

TEST(TiledSearch, AreTheSameForAnyNumberOfRanks) {
  Part part;
  for (const CloudKind& kind : all_clouds())
    for (const bool is_self : {false, true}) {
      const MemorySource<float> data(3, kind.make(1500, 3, 1)), queries(3, kind.make(400, 3, 2));
      flow::FileSearchOptions options = exact_options(8, 1 << 20);
      const Neighbors want = is_self ? search_self(data.view(), options.search).neighbors
                                     : kann::search(data.view(), queries.view(), options.search).neighbors;
      for (const int count : {2, 3, 8}) {
        if (!part.takes_next()) continue;
        const std::string what = kind.name + (is_self ? " self " : " ") + std::to_string(count) + " ranks";
        options.sizes.tile_points = count == 3 ? 100 : 1 << 20;  // one tile a rank, or several
        std::vector<std::int64_t> ids, own_ids(want.ids.size(), -2);
        std::vector<float> distances;
        flow::run_on_threads(count, [&](flow::Communicator& ranks) {
          const flow::FileSearchResult answer =
              flow::in_tiles({data, is_self ? nullptr : &queries, options, ranks}, ranks);
          EXPECT_EQ(answer.report.ranks, count);
          answer.rows.own_rows().for_each([&](const Rows& rows) {
            for (std::size_t i = 0; i < rows.distances.size(); ++i)
              own_ids[static_cast<std::size_t>(rows.first * want.k) + i] = rows.id(i);
          });
          if (ranks.rank() > 0) return answer.rows.serve();
          answer.rows.results().for_each([&](const Rows& rows) {
            EXPECT_EQ(rows.first * want.k, static_cast<std::int64_t>(ids.size())) << what;
            append(rows, ids, distances);
          });
          answer.rows.end_service();
        });
        EXPECT_TRUE(std::ranges::equal(ids, want.ids)) << what;
        EXPECT_TRUE(std::ranges::equal(own_ids, want.ids)) << what;
        EXPECT_TRUE(std::ranges::equal(distances, want.distances)) << what;
      }
    }
}

TEST(TiledSearch, TakeMoreRanksThanPoints) {
  for (const std::int64_t n : {0, 1, 3}) {
    const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(5, 3, 4));
    std::vector<std::int64_t> ids;
    std::vector<float> distances;
    flow::run_on_threads(8, [&](flow::Communicator& ranks) {
      const flow::FileSearchResult answer = flow::in_tiles({data, &queries, exact_options(2, 8), ranks}, ranks);
      if (ranks.rank() > 0) return answer.rows.serve();
      answer.rows.results().for_each([&](const Rows& rows) { append(rows, ids, distances); });
      answer.rows.end_service();
    });
    SearchOptions options = exact_options(2, 8).search;
    EXPECT_TRUE(std::ranges::equal(ids, kann::search(data.view(), queries.view(), options).neighbors.ids)) << n;
  }
}

TEST(TiledSearch, RefuseInvalidPointsOfAnyRank) {
  Coordinates c = uniform(700, 3, 6);
  c[2000] = NAN;
  const MemorySource<float> data(3, c);
  try {
    flow::run_on_threads(3, [&](flow::Communicator& ranks) {
      flow::in_tiles({data, nullptr, exact_options(4, 60), ranks}, ranks);
    });
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "cloud: 1 of 700 points have NaN or infinite coordinates (first: 666); use --invalid skip");
  }
}

/// No tile is as wide, and no query goes from one clump to the other.
TEST(TiledSearch, RefuseCloudsThatAreTooWide) {
  Random r(7);
  std::vector<double> near, both;
  for (int i = 0; i < 600; ++i) near.push_back(r.uniform());
  both = near;
  for (int i = 0; i < 600; ++i) both.push_back(1e160 + 1e150 * r.uniform());
  const MemorySource<double> narrow(3, near), wide(3, both);
  const auto message = [&](const MemorySource<double>& data, const MemorySource<double>* queries) {
    const flow::FileSearchOptions options = exact_options(1, 50);
    SearchOptions search = options.search;
    search.data_name = search.query_name = "cloud";
    std::vector<std::string> said;
    for (const bool in_tiles : {false, true}) try {
        flow::Alone alone;
        if (in_tiles)
          flow::in_tiles({data, queries, options, alone}, alone);
        else if (queries)
          kann::search(data.view(), queries->view(), search);
        else
          search_self(data.view(), search);
        said.push_back("no error");
      } catch (const Error& e) {
        said.push_back(e.what());
      }
    EXPECT_EQ(said[0], said[1]);
    return said[1];
  };
  const std::string too_wide = ": wider than squared distances in float64 can be (10^153); scale down the coordinates";
  EXPECT_EQ(message(wide, nullptr), "cloud" + too_wide);
  EXPECT_EQ(message(narrow, &wide), "cloud and cloud" + too_wide);
  EXPECT_EQ(message(wide, &narrow), "cloud and cloud" + too_wide);
  EXPECT_EQ(message(narrow, &narrow), "no error");
}

}  // namespace
}  // namespace kann::test
