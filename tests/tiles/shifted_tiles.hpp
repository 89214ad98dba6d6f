// Shifted sorts in tiles, compared with those in memory.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/search.hpp"

#include "comm/threads.hpp"
#include "tiles/memory_source.hpp"
#include "tiles/shifted_sort.hpp"

namespace kann::test {

inline tiles::TileOptions options_of(std::int64_t k, std::int64_t tile_points) {
  tiles::TileOptions options;
  options.search.k = k;
  options.search.threads = 2;
  options.search.method = Method::shifted_sort;
  options.search.device.kind = DeviceKind::cpu;
  options.sizes = {
      .tile_points = tile_points, .piece_queries = 100, .block_rows = 77, .read_points = 300, .chunk_bytes = 1000};
  options.folder = std::filesystem::temp_directory_path();
  return options;
}

/// Rows that an explicit window leaves with fewer than k neighbours, though there are points enough: those of the
/// search without a radius.
template <class T, class Q>
std::int64_t cut_by_window(const MemorySource<T>& data, const MemorySource<Q>* queries, SearchOptions options) {
  if (!options.window) return 0;
  options.radius.reset();
  const SearchResult all =
      queries ? kann::search(data.view(), queries->view(), options) : search_self(data.view(), options);
  const SearchReport& report = all.report;
  const bool drops_self = !queries && !options.include_self;
  if (options.k > report.data_points - report.data_skipped - (drops_self ? 1 : 0)) return 0;
  std::int64_t count = -report.query_skipped;
  for (std::int64_t q = 0; q < all.neighbors.queries; ++q) count += all.neighbors.ids[(q + 1) * options.k - 1] < 0;
  return count;
}

/// Compares rows and report. Returns the report of the search in memory.
template <class T, class Q = T>
SearchReport expect_rows_in_memory(const MemorySource<T>& data, const MemorySource<Q>* queries,
                                   const tiles::TileOptions& options, int count, const std::string& what) {
  const SearchResult result =
      queries ? kann::search(data.view(), queries->view(), options.search) : search_self(data.view(), options.search);
  const Neighbors& want = result.neighbors;
  const std::int64_t short_rows = cut_by_window(data, queries, options.search);
  std::int64_t past_float32 = 0;
  for (std::size_t i = 0; i < want.ids.size(); ++i) past_float32 += want.ids[i] >= 0 && std::isinf(want.distances[i]);
  std::vector<std::int64_t> ids;
  std::vector<float> distances;
  comm::run_on_threads(count, [&](comm::Communicator& ranks) {
    const tiles::TileAnswer answer = tiles::shifted_sort(data, queries, options, ranks);
    const SearchReport& report = answer.report.last;
    EXPECT_EQ(report.method, Method::shifted_sort) << what;
    EXPECT_EQ(report.shifts, result.report.shifts) << what;
    EXPECT_EQ(report.window, result.report.window) << what;
    EXPECT_EQ(report.bits, result.report.bits) << what;
    EXPECT_EQ(report.doubtful, result.report.doubtful) << what;
    EXPECT_EQ(report.sample.queries, result.report.sample.queries) << what;
    EXPECT_EQ(report.sample.recall, result.report.sample.recall) << what;
    EXPECT_EQ(answer.report.short_rows, short_rows) << what;
    if (options.search.radius) {
      EXPECT_EQ(answer.report.rows.neighbors, result.report.within_radius) << what;
      EXPECT_EQ(answer.report.rows.full_rows, result.report.full_rows) << what;
    }
    EXPECT_EQ(answer.report.rows.past_float32, past_float32) << what;
    EXPECT_EQ(answer.report.data.invalid, result.report.data_skipped) << what;
    EXPECT_EQ(answer.report.query.invalid, queries ? result.report.query_skipped : 0) << what;
    if (ranks.rank() > 0) return answer.rows.serve();
    answer.rows.for_each_block([&](std::int64_t, auto more_ids, auto more_distances) {
      ids.insert(ids.end(), more_ids.begin(), more_ids.end());
      distances.insert(distances.end(), more_distances.begin(), more_distances.end());
    });
    answer.rows.end_service();
  });
  EXPECT_TRUE(std::ranges::equal(ids, want.ids)) << what;
  EXPECT_TRUE(std::ranges::equal(distances, want.distances)) << what;
  return result.report;
}

template <class T>
SearchReport expect_self_in_memory(const MemorySource<T>& data, const tiles::TileOptions& options, int count,
                                   const std::string& what) {
  return expect_rows_in_memory<T>(data, static_cast<MemorySource<T>*>(nullptr), options, count, what);
}

}  // namespace kann::test
