// What a search takes of the host's memory, and the tiles with which it takes less.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "kann/search.hpp"

#include "flow/routes/tile_options.hpp"
#include "problem/problem.hpp"

namespace kann::flow {

/// What becomes of the rows, as far as memory depends on it.
struct ProductShape {
  bool reads_queries = false;  ///< the queries with their attributes, block by block
  bool reads_data = false;     ///< the data points that rows name, with their attributes
  bool has_reference = false;  ///< rows to compare with, which name as many points again
  int columns = 0;             ///< values of 8 bytes that are computed per query
  double fixed = 0;            ///< bytes that do not depend on the clouds, as those of a picture
};

/// The sizes of a search, as far as its memory depends on them.
struct SearchShape {
  std::int64_t data = 0, queries = 0;  ///< points; in a self-query, both are those of the data
  std::int64_t k = 0;
  int dimensions = 3;
  bool is_float64 = false, is_self = false;
  bool is_mixed = false;  ///< one cloud is float64, the other float32
  bool may_skip = false;  ///< points that are not valid
  bool is_periodic = false;
  int ranks = 1;  ///< that have as much each

  int shifts = 0;  ///< how many the shifted sort searches; 0: an exact search

  double data_attributes = 0, query_attributes = 0;  ///< bytes per point
  ProductShape products;
};

struct CloudShape {
  std::int64_t points;
  bool is_float64;
  double attributes = 0;  ///< bytes per point
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
