// What is known of a search in tiles, or in pieces, beside its rows.
#pragma once

#include <cstdint>

#include "kann/search.hpp"

#include "problem/survey.hpp"
#include "tiles/tile_rows.hpp"

namespace kann::tiles {

/// Of all ranks, unless it says otherwise.
struct TileReport {
  int ranks = 1;
  std::int64_t tiles = 0;
  std::int64_t pieces = 0;            ///< of the queries, in data that are not divided; or 0
  problem::Survey data, query;        ///< of a self-query, `data` alone
  std::int64_t visits = 0;            ///< searches of queries in tiles that they do not lie in
  std::int64_t rounds = 0;            ///< of visits, each after all that was sent has arrived
  std::int64_t most_points = 0;       ///< of the data, that a rank has
  std::uint64_t sent_bytes = 0;       ///< from rank to rank
  std::uint64_t temporary_bytes = 0;  ///< of files, at most at a time
  RowCounts rows;                     ///< in pieces without a radius, past_float32 alone
  std::int64_t short_rows = 0;        ///< of a shifted sort, by detail::rows_cut_by_window()
  SearchReport last;                  ///< of the last search of this rank: its device; the steps of all
  double survey_seconds = 0, order_seconds = 0, search_seconds = 0;
};

/// Keeps the report of a search, with the steps and the peak of those before it.
void keep_last(SearchReport report, TileReport& all);

}  // namespace kann::tiles
