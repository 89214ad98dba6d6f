// How much of the host's memory a search takes, and with which tiles or pieces it takes less. Each part of a search
// says beside its own code what it takes; here, those that exist at the same time are added up.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "kann/search.hpp"

#include "flow/routes/file_search_options.hpp"
#include "flow/tile_memory.hpp"
#include "problem/problem.hpp"

namespace kann::flow {

struct CloudShape {
  std::int64_t points;
  bool is_float64;
  double attributes = 0;    ///< bytes per point
  double held = 0;          ///< bytes of the file, where it is in memory while it is read as a whole
  double buffers = 0;       ///< bytes that its reader takes at a time, as CloudSource::buffer_bytes()
  bool leaves_out = false;  ///< ReadOptions::where leaves out points
};

/// The shape of a search. @param query none: a self-query @param ranks how many ranks hold as much each
SearchShape search_shape(const SearchOptions& search, int dimensions, const CloudShape& data,
                         const std::optional<CloudShape>& query, const ProductShape& products = {}, int ranks = 1,
                         Finds finds = Finds::rows);

/// Bytes of memory that a search may take.
struct Budget {
  double host = 0;
  double device = std::numeric_limits<double>::infinity();  ///< on the smallest CUDA device that it must run on
};

/// Bytes of the host's memory that a search in memory takes, at most.
double bytes_in_memory(const SearchShape& shape);

/// Whether a search needs no tiles: it takes no more than the budget, and has no more points than one search can have.
bool fits_in_memory(const SearchShape& shape, const Budget& budget);

/// The largest pieces of the queries that fit in the budget beside all of the data; nothing if none do, or if the data
/// are more than one search takes. Neither for lists nor for periodic boxes; for self-queries on GPUs alone, since the
/// CPU is faster in tiles, where points near each other are searched together: 10⁷ uniform points took 1.7 times as
/// long in 22 pieces as in tiles, and 2.5 times in 240.
std::optional<FileSearchSizes> piece_sizes(const SearchShape& shape, const Budget& budget);

/// The largest tiles with which a search takes no more than the budget; nothing if the smallest take more, or if it is
/// a shifted sort, which is not made in tiles.
std::optional<FileSearchSizes> tile_sizes(const SearchShape& shape, const Budget& budget);

/// Bytes of the host's memory that a search in tiles or pieces of these sizes takes, at most.
double bytes_from_files(const SearchShape& shape, const FileSearchSizes& sizes);

/// The least bytes that a rank has in temporary files in a search in tiles: its points as records, and its rows.
double temporary_bytes(const SearchShape& shape);

/// The smallest budget of the host's memory with which the search can be made in tiles or, by one rank, in pieces or
/// in memory; infinite if there is none.
double smallest_budget(const SearchShape& shape);

}  // namespace kann::flow
