// Queries that are searched in pieces have the rows and the report of a search in memory.
#include "flow/in_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/error.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "flow/memory_source.hpp"

namespace kann::test {
namespace {

flow::FileSearchOptions piece_options(std::int64_t k, std::int64_t piece) {
  flow::FileSearchOptions options;
  options.search.k = k;
  options.search.threads = 2;
  options.search.device.kind = DeviceKind::cpu;
  options.sizes = {.tile_points = 0,
                   .piece_queries = piece,
                   .part_rows = piece,
                   .block_rows = 77,
                   .read_points = 300,
                   .chunk_bytes = 1000};
  options.folder = std::filesystem::temp_directory_path();
  return options;
}

/// Both ways: rows that are taken, and rows that are kept. Returns what is in the rows.
template <class T, class Q>
flow::RowCounts expect_rows_of(const SearchResult& want, const MemorySource<T>& data, const MemorySource<Q>* queries,
                               const flow::FileSearchOptions& options, const std::string& what) {
  const auto expect_report = [&](const flow::FileSearchReport& report) {
    EXPECT_EQ(report.data.invalid, want.report.data_skipped) << what;
    EXPECT_EQ(report.query.invalid, want.report.query_skipped) << what;
  };

  std::vector<std::int64_t> ids;
  std::vector<float> distances;
  const flow::FileSearchReport report =
      flow::in_pieces(data, queries, options, [&](std::int64_t first, const Neighbors& rows) {
        EXPECT_EQ(first * options.search.k, std::ssize(ids)) << what;
        EXPECT_LE(rows.queries, options.sizes.piece_queries) << what;
        ids.insert(ids.end(), rows.ids.begin(), rows.ids.end());
        distances.insert(distances.end(), rows.distances.begin(), rows.distances.end());
      });
  EXPECT_TRUE(std::ranges::equal(ids, want.neighbors.ids)) << what;
  EXPECT_TRUE(std::ranges::equal(distances, want.neighbors.distances)) << what;
  expect_report(report);

  flow::Alone alone;
  const flow::FileSearchResult answer = flow::in_kept_pieces(data, queries, options, alone);
  std::vector<std::int64_t> kept_ids;
  std::vector<float> kept_distances;
  answer.rows.results().for_each([&](const Rows& rows) { append(rows, kept_ids, kept_distances); });
  EXPECT_EQ(kept_ids, ids) << what;
  EXPECT_EQ(kept_distances, distances) << what;
  expect_report(answer.report);
  return report.rows;
}

template <class T, class Q = T>
flow::RowCounts expect_as_in_memory(const MemorySource<T>& data, const MemorySource<Q>& queries,
                                    const flow::FileSearchOptions& options, const std::string& what) {
  const SearchResult want = kann::search(data.view(), queries.view(), options.search);
  return expect_rows_of(want, data, &queries, options, what);
}

template <class T>
flow::RowCounts expect_self_as_in_memory(const MemorySource<T>& data, const flow::FileSearchOptions& options,
                                         const std::string& what) {
  const SearchResult want = kann::search_self(data.view(), options.search);
  return expect_rows_of<T, T>(want, data, nullptr, options, what);
}

TEST(InPieces, HaveTheRowsOfASearchInMemory) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3}) {
      const MemorySource<float> data(d, kind.make(1500, d, 1)), queries(d, kind.make(2100, d, 2));
      const std::string what = kind.name + " " + std::to_string(d) + "-D";
      expect_as_in_memory(data, queries, piece_options(8, 700), what);
    }
}

TEST(InPieces, TakeAnyNumbersOfPointsAndNeighbours) {
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 65})
    for (const std::int64_t m : {0, 1, 63, 64, 65})
      for (const std::int64_t k : {1, 8, 70}) {
        const MemorySource<float> data(3, uniform(n, 3, 3)), queries(3, uniform(m, 3, 4));
        const std::string what = std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k);
        expect_as_in_memory(data, queries, piece_options(k, 32), what);
      }
}

TEST(InPieces, HaveTheRowsOfASelfQuery) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3}) {
      const Coordinates c = kind.make(1500, d, 1);
      const std::string what = kind.name + " " + std::to_string(d) + "-D";
      flow::FileSearchOptions options = piece_options(8, 700);
      expect_self_as_in_memory(MemorySource<float>(d, c), options, what);
      options.search.include_self = true;
      expect_self_as_in_memory(MemorySource<double>(d, std::vector<double>(c.begin(), c.end())), options, what);
    }
  for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 65})
    for (const std::int64_t k : {1, 8, 70})
      expect_self_as_in_memory(MemorySource<float>(3, uniform(n, 3, 3)), piece_options(k, 32),
                               std::to_string(n) + " k " + std::to_string(k));
}

TEST(InPieces, HaveTheRowsOfASelfQueryWithInvalidPointsAndARadius) {
  for (const std::int64_t piece : {1, 90, 301}) {
    Coordinates c = uniform(900, 3, 6);
    for (const std::size_t i : {0u, 5u, 899u, 2699u}) c[i] = NAN;
    for (std::size_t i = 810; i < 1350; ++i) c[i] = INFINITY;  // two whole pieces of 90
    flow::FileSearchOptions options = piece_options(6, piece);
    options.search.invalid = InvalidPoints::skip;
    const MemorySource<float> data(3, c);
    expect_self_as_in_memory(data, options, std::to_string(piece));
    for (const double radius : {0., .1, 9.}) {
      options.search.radius = radius;
      const SearchReport want = kann::search_self(data.view(), options.search).report;
      const flow::RowCounts counts = expect_self_as_in_memory(data, options, std::to_string(radius));
      EXPECT_EQ(counts.neighbors, want.within_radius);
      EXPECT_EQ(counts.full_rows, want.full_rows);
    }
  }
  const MemorySource<float> invalid(3, {0, 0, 0, NAN, 0, 0});
  EXPECT_THROW(flow::in_pieces(invalid, nullptr, piece_options(1, 1), [](auto, const auto&) {}), Error);
}

TEST(InPieces, TakeFloat64AndBothTypes) {
  Random r(5);
  std::vector<double> c;
  for (int i = 0; i < 6000; ++i) c.push_back((i % 3 == 0 ? 500000 : 5200000) + 100 * r.uniform());
  const MemorySource<double> data(3, c);
  const MemorySource<float> floats(3, std::vector<float>(c.begin(), c.begin() + 1500));
  expect_as_in_memory(data, floats, piece_options(8, 200), "float32 queries");
  expect_as_in_memory(floats, data, piece_options(8, 700), "float64 queries");
}

TEST(InPieces, CountWhatIsWithinTheRadius) {
  const MemorySource<float> data(3, uniform(2000, 3, 6)), queries(3, uniform(1300, 3, 7));
  for (const double radius : {0., .05, .1, 2.}) {
    flow::FileSearchOptions options = piece_options(4, 300);
    options.search.radius = radius;
    const SearchReport want = kann::search(data.view(), queries.view(), options.search).report;
    const flow::RowCounts counts = expect_as_in_memory(data, queries, options, std::to_string(radius));
    EXPECT_EQ(counts.neighbors, want.within_radius);
    EXPECT_EQ(counts.full_rows, want.full_rows);
  }
}

TEST(InPieces, HaveTheRowsWithinARadiusOfUglyClouds) {
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3}) {
      const Coordinates c = kind.make(1500, d, 8), q = kind.make(700, d, 9);
      const MemorySource<float> data(d, c), queries(d, q);
      const MemorySource<double> wide(d, std::vector<double>(q.begin(), q.end()));
      flow::FileSearchOptions options = piece_options(6, 200);
      const Neighbors rows = kann::search(data.view(), queries.view(), options.search).neighbors;
      for (const double radius : {0., 1e-300, double{rows.distances[2]}, 1.1 * rows.distances[4000], 1e300}) {
        options.search.radius = radius;
        const std::string what = kind.name + " " + std::to_string(d) + "-D, R " + std::to_string(radius);
        expect_as_in_memory(data, queries, options, what);
        expect_as_in_memory(data, wide, options, what + ", float64 queries");
      }
    }
}

TEST(InPieces, CountDistancesPastFloat32) {
  Coordinates c = uniform(900, 3, 6), q = uniform(1500, 3, 7);
  for (float& x : c) x *= 3e38F;
  for (float& x : q) x *= -3e38F;
  q[60] = NAN;
  const MemorySource<float> data(3, c), queries(3, q);
  flow::FileSearchOptions options = piece_options(32, 400);
  options.search.invalid = InvalidPoints::skip;
  expect_as_in_memory(data, queries, options, "wide");
  const flow::FileSearchReport report = flow::in_pieces(data, &queries, options, [](std::int64_t, const Neighbors&) {});
  EXPECT_GT(report.rows.past_float32, 0);
  const SearchResult want = kann::search(data.view(), queries.view(), options.search);
  EXPECT_EQ(want.report.warnings,
            std::vector{std::to_string(report.rows.past_float32) +
                        std::string(" distances are larger than float32 can hold and are written as inf")});
}

TEST(InPieces, SkipOrRefuseWhatIsNotFinite) {
  Coordinates c = uniform(3000, 3, 6), q = uniform(2500, 3, 7);
  for (const std::size_t i : {0u, 301u, 2099u, 8999u}) c[i] = NAN;
  for (std::size_t i = 100; i < 300; ++i) q[7 * i] = INFINITY;
  const MemorySource<float> data(3, c), queries(3, q), valid(3, uniform(2000, 3, 8));
  flow::FileSearchOptions options = piece_options(6, 600);
  options.search.invalid = InvalidPoints::skip;
  expect_as_in_memory(data, queries, options, "invalid");
  options.search.invalid = InvalidPoints::error;
  options.search.data_name = options.search.query_name = "cloud";  // as the sources are called
  const auto message = [](const auto& search) {
    try {
      search();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (const MemorySource<float>* refused : {&data, &queries}) {
    const MemorySource<float>& points = refused == &data ? data : valid;
    const std::string want = message([&] { kann::search(points.view(), queries.view(), options.search); });
    EXPECT_NE(want.find("NaN or infinite"), std::string::npos);
    EXPECT_EQ(message([&] { flow::in_pieces(points, &queries, options, [](std::int64_t, const Neighbors&) {}); }),
              want);
  }
}

/// Two queries may be too far apart for each other, though each is near enough to the data.
TEST(InPieces, RefuseCloudsThatAreTooWide) {
  const double far = 0x1p509;
  const MemorySource<double> data(2, {0, 0, 1, 1}), queries(2, {-.9 * far, 0, .9 * far, 0, 1.2 * far, 0});
  const flow::FileSearchOptions options = piece_options(1, 1);
  EXPECT_THROW(kann::search(data.view(), queries.view(), options.search), Error);
  EXPECT_THROW(flow::in_pieces(data, &queries, options, [](std::int64_t, const Neighbors&) {}), Error);
}

TEST(InPieces, EndWithTheErrorOfWhoTakesTheRows) {
  const MemorySource<float> data(3, uniform(100, 3, 6)), queries(3, uniform(1000, 3, 7));
  int calls = 0;
  EXPECT_THROW(flow::in_pieces(data, &queries, piece_options(3, 100),
                               [&](std::int64_t, const Neighbors&) {
                                 if (++calls == 3) throw Error(ErrorKind::resources, "full");
                               }),
               Error);
  EXPECT_EQ(calls, 3);
}

TEST(InPieces, SayHowFarTheyAre) {
  const MemorySource<float> data(3, uniform(100, 3, 6)), queries(3, uniform(1000, 3, 7));
  flow::FileSearchOptions options = piece_options(3, 300);
  std::vector<double> fractions;
  options.search.on_progress = [&](std::string_view, double fraction) { fractions.push_back(fraction); };
  const flow::FileSearchReport report = flow::in_pieces(data, &queries, options, [](std::int64_t, const Neighbors&) {});
  EXPECT_EQ(report.pieces, 4);
  EXPECT_EQ(std::ssize(fractions), 4);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_EQ(fractions.back(), 1);
}

}  // namespace
}  // namespace kann::test
