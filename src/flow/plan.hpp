// What a search takes of the host's memory, and the tiles with which it takes less. What each part takes is said where
// that part is; here, those that exist at a time are added up.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "kann/search.hpp"

#include "flow/routes/tile_options.hpp"
#include "flow/tile_memory.hpp"
#include "problem/problem.hpp"

namespace kann::flow {

struct CloudShape {
  std::int64_t points;
  bool is_float64;
  double attributes = 0;  ///< bytes per point
  double held = 0;        ///< bytes of the file, where it is in memory while it is read as a whole
  double buffers = 0;     ///< bytes that its reader takes at a time, as CloudSource::buffer_bytes()
};

/// The shape of a search; of a self-query if there is no `query`. @param ranks how many ranks hold as much each
SearchShape search_shape(const SearchOptions& search, int dimensions, const CloudShape& data,
                         const std::optional<CloudShape>& query, const ProductShape& products = {}, int ranks = 1);

/// What problem::choose_parameters() sets.
problem::Problem parameters_of(const SearchOptions& search, int dimensions);

/// Bytes of memory that a search may take.
struct Budget {
  double host = 0;
  double device = std::numeric_limits<double>::infinity();  ///< on the smallest CUDA device that it must run on
};

/// Bytes of the host's memory of a search with all in memory, at most.
double bytes_in_memory(const SearchShape& shape);

/// Whether a search needs no tiles: it takes no more than the budget, and has no more points than one search can have.
bool fits_in_memory(const SearchShape& shape, const Budget& budget);

/// The largest pieces of the queries with which these are searched in data that are in memory as a whole; nothing if
/// that takes more than the budget, or one search cannot do it. Not in a periodic box; nor for self-queries: in tiles,
/// points near each other are searched together. 10⁷ uniform points in 22 pieces took 1.7 times as long as in tiles, in
/// 240 2.5 times.
std::optional<TileSizes> piece_sizes(const SearchShape& shape, const Budget& budget);

/// The largest tiles with which a search takes no more than the budget; nothing if the smallest take more, and for a
/// shifted sort, which is not made in tiles.
std::optional<TileSizes> tile_sizes(const SearchShape& shape, const Budget& budget);

/// Bytes of the temporary files of a search in tiles that a rank holds at least: the points as records, and the rows.
double temporary_bytes(const SearchShape& shape);

/// The smallest budget of the host's memory with which there are such tiles, or, of one rank, the search needs none;
/// infinite if there is no such budget.
double smallest_budget(const SearchShape& shape);

}  // namespace kann::flow
