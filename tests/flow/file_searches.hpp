// Searches of clouds that come in blocks, made in every way: in pieces, in tiles, by ranks. The answers have to be
// those of a search in memory, byte for byte.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kann/clusters.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "flow/clusters_in_tiles.hpp"
#include "flow/in_pieces.hpp"
#include "flow/in_tiles.hpp"
#include "flow/lists_in_tiles.hpp"
#include "flow/ranks/threads.hpp"
#include "flow/tile_memory.hpp"
#include "memory_source.hpp"
#include "search/warnings.hpp"

namespace kann::test {

/// Rows or lists, as a pass over their blocks gives them; rows of k places have no begins.
struct Taken {
  std::vector<std::int64_t> begins, ids;
  std::vector<float> distances;

  bool operator==(const Taken&) const = default;
};

inline void append(const Rows& rows, Taken& all) {
  for (std::size_t i = 0; i < rows.distances.size(); ++i) all.ids.push_back(rows.id(i));
  all.distances.insert(all.distances.end(), rows.distances.begin(), rows.distances.end());
}

/// Blocks have to follow each other.
inline Taken taken(const RowBlocks& blocks) {
  Taken all;
  if (blocks.lists)
    blocks.lists->for_each_begins(
        [&](std::span<const std::int64_t> some) { all.begins.insert(all.begins.end(), some.begin(), some.end()); });
  std::int64_t next = blocks.first;
  blocks.for_each([&](const Rows& block) {
    EXPECT_EQ(block.first, next);
    if (blocks.lists) {
      EXPECT_EQ(block.count, std::ssize(block.begins) - 1);
      EXPECT_TRUE(std::ranges::equal(
          block.begins, std::span(all.begins).subspan(static_cast<std::size_t>(block.first), block.begins.size())));
    }
    next += block.count;
    append(block, all);
  });
  EXPECT_EQ(next, blocks.first + blocks.queries);
  EXPECT_EQ(std::ssize(all.ids), blocks.lists ? blocks.lists->neighbors : blocks.queries * blocks.k);
  return all;
}

inline void expect_taken(const Taken& got, const Taken& want, const std::string& what) {
  EXPECT_EQ(got.begins, want.begins) << what;
  EXPECT_EQ(got.ids.size(), want.ids.size()) << what;
  for (std::size_t i = 0; i < std::min(got.ids.size(), want.ids.size()); ++i)
    if (got.ids[i] != want.ids[i] || got.distances[i] != want.distances[i]) {
      ADD_FAILURE() << what << ": place " << i << ": got " << got.ids[i] << " at " << got.distances[i] << ", want "
                    << want.ids[i] << " at " << want.distances[i];
      return;
    }
}

/// A search, and how it is divided.
struct FileSearchCase {
  std::string name;
  MemorySource data;
  std::optional<MemorySource> queries;  ///< none: the data are searched in themselves
  SearchOptions search;
  std::int64_t tile_points = 60, piece_queries = 100;
  std::vector<int> ranks = {1, 3};

  const MemorySource* asked() const { return queries ? &*queries : nullptr; }

  /// All that is held at a time is far smaller than the clouds.
  flow::FileSearchOptions options(base::MemoryBudget& memory, flow::Finds finds = flow::Finds::rows) const {
    const std::int64_t listed = finds == flow::Finds::lists ? 1000 : 0;
    flow::FileSearchOptions all;
    all.search = search;
    all.sky = search.sky;
    all.sizes = {.tile_points = tile_points,
                 .piece_queries = piece_queries,
                 .part_rows = piece_queries,
                 .block_rows = 77,
                 .listed = listed,
                 .merged = listed,
                 .read_points = 300,
                 .chunk_bytes = 1000};
    all.folder = std::filesystem::temp_directory_path();
    all.memory = &memory;
    return all;
  }

  /// Calls f(options, ranks, what) on each rank, for each number of them. Nothing is charged any more in the end.
  template <class F>
  void by_ranks(flow::Finds finds, F f) const {
    for (const int count : ranks)
      flow::run_on_threads(count, [&](flow::Communicator& own) {
        const std::string what = name + ", " + std::to_string(count) + " ranks";
        base::MemoryBudget memory;
        f(options(memory, finds), own, what);
        EXPECT_EQ(memory.in_use(), 0) << what;
      });
  }
};

inline SearchOptions on_cpu(std::int64_t k, std::optional<double> radius = {}) {
  SearchOptions options;
  options.k = k;
  options.radius = radius;
  options.threads = 2;
  options.device.kind = DeviceKind::cpu;
  options.data_name = options.query_name = "cloud";  // as the sources are called
  return options;
}

inline SearchResult in_memory(const FileSearchCase& c) {
  return c.queries ? search(c.data.view(), c.queries->view(), c.search) : search_self(c.data.view(), c.search);
}

inline void expect_report(const flow::FileSearchReport& got, const FileSearchCase& c, const SearchResult& want,
                          const std::string& what) {
  EXPECT_EQ(got.data.invalid, want.report.data_skipped) << what;
  if (c.queries) {
    EXPECT_EQ(got.query.invalid, want.report.query_skipped) << what;
  }
  if (c.search.radius) {
    EXPECT_EQ(got.rows.neighbors, want.report.within_radius) << what;
    EXPECT_EQ(got.rows.full_rows, want.report.full_rows) << what;
  }
  const Neighbors& rows = want.neighbors;
  std::int64_t past_float32 = 0;
  for (std::size_t i = 0; i < rows.ids.size(); ++i) past_float32 += rows.ids[i] >= 0 && std::isinf(rows.distances[i]);
  EXPECT_EQ(got.rows.past_float32, past_float32) << what;
  EXPECT_EQ(got.rows.far_rows, detail::far_rows(c.search, rows)) << what;
}

/// Rows in pieces, given away and kept: with one rank, and without a box.
inline void expect_rows_in_pieces(const FileSearchCase& c) {
  const SearchResult want = in_memory(c);
  const Taken rows = taken(one_block(want.neighbors));
  base::MemoryBudget memory;
  const flow::FileSearchOptions options = c.options(memory);
  {
    Taken given;
    expect_report(flow::in_pieces(c.data, c.asked(), options,
                                  [&](std::int64_t first, const Neighbors& some) {
                                    EXPECT_EQ(first * c.search.k, std::ssize(given.ids)) << c.name;
                                    EXPECT_LE(some.queries, c.piece_queries) << c.name;
                                    given.ids.insert(given.ids.end(), some.ids.begin(), some.ids.end());
                                    given.distances.insert(given.distances.end(), some.distances.begin(),
                                                           some.distances.end());
                                  }),
                  c, want, c.name + ", given away");
    expect_taken(given, rows, c.name + ", given away");
    flow::Alone alone;
    const flow::FileSearchResult kept = flow::in_kept_pieces(c.data, c.asked(), options, alone);
    expect_report(kept.report, c, want, c.name + ", kept");
    expect_taken(taken(kept.rows.results()), rows, c.name + ", kept");
  }
  EXPECT_EQ(memory.in_use(), 0) << c.name;
}

inline void expect_rows_in_tiles(const FileSearchCase& c) {
  const SearchResult want = in_memory(c);
  const Neighbors& all = want.neighbors;
  c.by_ranks(flow::Finds::rows,
             [&](const flow::FileSearchOptions& options, flow::Communicator& ranks, const std::string& what) {
               const flow::FileSearchResult found = flow::in_tiles({c.data, c.asked(), options, ranks}, ranks);
               expect_report(found.report, c, want, what);
               EXPECT_EQ(found.report.ranks, ranks.size());
               EXPECT_GE(found.report.tiles, c.data.size() / (2 * c.tile_points)) << what;
               const RowBlocks own = found.rows.own_rows();
               const auto rows_from = [&](std::int64_t first, std::int64_t count) {
                 const auto begin = first * all.k, end = begin + count * all.k;
                 return Taken{{},
                              {all.ids.begin() + begin, all.ids.begin() + end},
                              {all.distances.begin() + begin, all.distances.begin() + end}};
               };
               expect_taken(taken(own), rows_from(own.first, own.queries), what + ", own");
               EXPECT_EQ(ranks.sum(own.queries), all.queries) << what;
               if (ranks.rank() > 0) return found.rows.serve();
               for (int time = 0; time < 2; ++time)  // they come as often as asked for
                 expect_taken(taken(found.rows.results()), rows_from(0, all.queries), what);
               found.rows.end_service();
             });
}

/// Only the neighbours with larger numbers, and one of each two of a point's own images.
inline Taken half(const Taken& all) {
  Taken some{{0}, {}, {}};
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

/// The lists of all neighbours within the radius; of a search of data in themselves, also those with each pair once.
inline void expect_lists(const FileSearchCase& c) {
  const NeighborLists lists = (c.queries ? search_radius(c.data.view(), c.queries->view(), c.search)
                                         : search_radius_self(c.data.view(), c.search))
                                  .lists;
  const Taken all = taken(one_block(lists, c.data.size()));
  for (const bool is_half : {false, true}) {
    if (is_half && c.queries) continue;
    const Taken want = is_half ? half(all) : all;
    const std::int64_t neighbors = std::ssize(want.ids);
    c.by_ranks(flow::Finds::lists, [&](const flow::FileSearchOptions& options, flow::Communicator& ranks,
                                       const std::string& name) {
      const std::string what = name + (is_half ? ", half of the lists" : ", lists");
      std::int64_t most = -1;
      const flow::ListRequest request{is_half, false, [&](const flow::CountedLists& counted) {
                                        most = counted.neighbors;
                                        EXPECT_TRUE(!counted.is_exact || most == neighbors) << what;
                                        EXPECT_GE(counted.temporary_bytes, 8 * static_cast<double>(most)) << what;
                                      }};
      const flow::FileLists found = flow::lists_in_tiles({c.data, c.asked(), options, ranks}, request, ranks);
      EXPECT_GE(most, c.search.periodic.empty() ? neighbors : 0) << what;
      EXPECT_EQ(found.neighbors, neighbors) << what;
      EXPECT_EQ(found.report.ranks, ranks.size());
      if (ranks.rank() > 0) {
        found.store->serve();
      } else {
        for (int time = 0; time < 2; ++time) expect_taken(taken(found.store->results()), want, what);
        found.store->end_service();
      }
      const flow::ListRequest counted{is_half, true, {}};
      EXPECT_EQ(flow::lists_in_tiles({c.data, c.asked(), options, ranks}, counted, ranks).neighbors, neighbors)
          << what << ", counted";
    });
  }
}

inline void expect_clusters(const FileSearchCase& c, std::int64_t min_points) {
  const ClusterResult want = cluster(c.data.view(), {.radius = *c.search.radius,
                                                     .min_points = min_points,
                                                     .periodic = c.search.periodic,
                                                     .sky = c.search.sky,
                                                     .invalid = c.search.invalid,
                                                     .data_name = c.data.name()});
  c.by_ranks(flow::Finds::clusters, [&](const flow::FileSearchOptions& options, flow::Communicator& ranks,
                                        const std::string& name) {
    const std::string what = name + ", clusters of " + std::to_string(min_points);
    const flow::FileClusters found = flow::clusters_in_tiles({c.data, nullptr, options, ranks}, min_points, ranks);
    EXPECT_EQ(found.counts.clusters, want.counts.clusters) << what;
    EXPECT_EQ(found.counts.noise, want.counts.noise) << what;
    EXPECT_EQ(found.counts.largest, want.counts.largest) << what;
    EXPECT_EQ(found.report.ranks, ranks.size());
    if (ranks.rank() == 0) {
      EXPECT_TRUE(std::ranges::equal(found.labels, want.labels)) << what;
    }
  });
}

/// All that can be asked of the clouds with these options, in all ways that the program has for it.
inline void expect_as_in_memory(const FileSearchCase& c) {
  if (c.search.images == Images::nearest || !c.search.radius) expect_rows_in_tiles(c);
  if (c.search.periodic.empty() && (c.queries || !c.search.sky)) expect_rows_in_pieces(c);
  if (!c.search.radius) return;
  expect_lists(c);
  if (!c.queries && *c.search.radius > 0 && c.search.images == Images::nearest)
    for (const std::int64_t min_points : {1, 5}) expect_clusters(c, min_points);
}

}  // namespace kann::test
