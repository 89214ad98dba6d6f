// What is known of a search in tiles, or in pieces, beside its rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kann/search.hpp"

#include "flow/ranks/communicator.hpp"
#include "flow/rows/row_store.hpp"
#include "flow/rows/tile_rows.hpp"
#include "problem/survey.hpp"

namespace kann::flow {

/// What a search in tiles or pieces did: the sum over all ranks, where nothing else is said.
struct TileReport {
  int ranks = 1;
  std::int64_t tiles = 0;
  std::int64_t pieces = 0;            ///< how many the queries were searched in, beside undivided data; 0: none
  problem::Survey data, query;        ///< in a self-query, only `data` is set
  std::int64_t visits = 0;            ///< searches of queries in tiles that they do not lie in
  std::int64_t rounds = 0;            ///< rounds of visits; a round begins when all that was sent has arrived
  std::int64_t most_points = 0;       ///< the most data points that a single rank holds
  std::uint64_t sent_bytes = 0;       ///< from rank to rank
  std::uint64_t temporary_bytes = 0;  ///< the largest size of all temporary files together
  double charged_bytes = 0;           ///< the most of this rank's memory that was charged, with base::program_bytes()
  double budget_bytes = 0;            ///< that it may take
  RowCounts rows;                     ///< in pieces without a radius, past_float32 alone
  std::int64_t short_rows = 0;        ///< by detail::rows_cut_by_window(); only the shifted sort has them
  SearchReport last;                  ///< device: of this rank's last search; steps: the sum of all searches
  double survey_seconds = 0, order_seconds = 0, search_seconds = 0;

  /// Adds what all ranks have counted of the rows, which have been delivered. All ranks call it.
  void add(const RowStore& store, Communicator& ranks) {
    const RowCounts& counts = store.counts();
    rows = {ranks.sum(counts.neighbors), ranks.sum(counts.full_rows), ranks.sum(counts.past_float32)};
    temporary_bytes += static_cast<std::uint64_t>(ranks.sum(static_cast<std::int64_t>(store.file_bytes())));
    sent_bytes += static_cast<std::uint64_t>(ranks.sum(static_cast<std::int64_t>(store.sent_bytes())));
  }
};

/// The result of a search in tiles or pieces.
struct TileAnswer {
  RowStore rows;
  TileReport report;
};

/// Keeps the report of a search, with the steps and the peak of those before it.
inline void keep_last(SearchReport report, TileReport& all) {
  const StepSeconds before = all.last.steps;
  const std::int64_t peak = all.last.device_peak_bytes;
  all.last = std::move(report);
  all.last.device_peak_bytes = std::max(peak, all.last.device_peak_bytes);
  StepSeconds& steps = all.last.steps;
  for (double StepSeconds::*step :
       {&StepSeconds::prepare, &StepSeconds::start_up, &StepSeconds::upload, &StepSeconds::encode, &StepSeconds::sort,
        &StepSeconds::rank, &StepSeconds::boxes, &StepSeconds::select, &StepSeconds::rows, &StepSeconds::download})
    steps.*step += before.*step;
}

}  // namespace kann::flow
