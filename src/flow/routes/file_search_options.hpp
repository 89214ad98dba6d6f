// What a search from files is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kann/search.hpp"

#include "base/memory_budget.hpp"
#include "base/threads/parallel.hpp"
#include "flow/ranks/post.hpp"

namespace kann::flow {

struct FileSearchSizes {
  std::int64_t tile_points = 0;    ///< data points per tile; 0: the data are not divided, only the queries
  std::int64_t piece_queries = 0;  ///< searched at a time
  std::int64_t part_rows = 0;      ///< rows of a piece that arrive at a time, if a GPU has all of them
  std::int64_t block_rows = 0;     ///< given at a time
  std::int64_t listed = 0;         ///< neighbours in lists that a tile finds at a time
  std::int64_t merged = 0;         ///< and that are put together at a time
  std::int64_t read_points = 0;    ///< points of a file that are read at a time
  std::size_t chunk_bytes = 0;     ///< that a sequence in a temporary file holds back in memory
};

/// The most points of a tile, of which about `tile_points` were asked for: where the curve is cut is known from a
/// sample.
constexpr std::int64_t most_tile_points(std::int64_t tile_points) { return tile_points / 4 * 5 + tile_points % 4; }

struct FileSearchOptions {
  SearchOptions search;  ///< an exact search
  FileSearchSizes sizes;
  std::string folder;                    ///< where temporary files go; "": the current folder
  base::MemoryBudget* memory = nullptr;  ///< is charged with what the search takes; null: nothing is

  /// The points are those of on_sphere(), and the rows have great-circle distances in this unit.
  std::optional<AngleUnit> sky = {};

  bool may_skip = false;  ///< points that are not valid, or left out

  TemporaryFiles files() const { return {folder, sizes.chunk_bytes, base::thread_count(search.threads), memory}; }

  /// Says how much of the search is done, if anyone wants to know.
  void show_progress(double fraction) const {
    if (search.on_progress) search.on_progress("search", fraction);
  }
};

}  // namespace kann::flow
