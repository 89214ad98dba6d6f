// What is known of a search from files beside its rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kann/search.hpp"

#include "flow/ranks/communicator.hpp"
#include "flow/rows/result_store.hpp"
#include "problem/survey.hpp"

namespace kann::flow {

/// What a search from files did: the sum over all ranks, where nothing else is said.
struct FileSearchReport {
  int ranks = 1;
  std::int64_t tiles = 0;
  std::int64_t pieces = 0;            ///< of the queries, if the data were not divided; otherwise 0
  problem::Survey data, query;        ///< in a self-query, only `data` is set
  std::int64_t visits = 0;            ///< searches of queries in tiles in which they do not lie
  std::int64_t rounds = 0;            ///< rounds of visits; a round begins when all that was sent has arrived
  std::int64_t most_points = 0;       ///< the most data points that a single rank holds
  std::uint64_t sent_bytes = 0;       ///< from rank to rank
  std::uint64_t temporary_bytes = 0;  ///< the largest size of all temporary files together
  double charged_bytes = 0;           ///< the most of this rank's memory that was charged, with base::program_bytes()
  double budget_bytes = 0;            ///< the most that it may take
  RowCounts rows;                     ///< in pieces without a radius, only past_float32 is counted
  SearchReport last;                  ///< device: of this rank's last search; steps: the sum of all searches
  std::vector<float> first_distances{};  ///< by detail::FirstDistances
  double survey_seconds = 0, order_seconds = 0, search_seconds = 0;
  double points_seconds = 0;  ///< the part of search_seconds in which the search waited for points; 0 for clusters

  /// Whether it is known where search_seconds went: not for clusters.
  bool has_parts() const { return points_seconds > 0; }

  /// The part of search_seconds in which neighbours were found.
  double neighbors_seconds() const {
    const StepSeconds& s = last.steps;
    return s.prepare + s.start_up + s.upload + s.encode + s.sort + s.rank + s.boxes + s.select + s.rows + s.download;
  }

  /// The part of search_seconds in which the search waited for its rows to be kept, written or sent to other ranks.
  double rows_seconds() const { return std::max(0.0, search_seconds - points_seconds - neighbors_seconds()); }

  /// Adds what is known of the tiles, and sums up what this rank has counted: visits, and the bytes that it has sent
  /// and written beside the store. All ranks call it.
  template <class Store>
  void add_tiles(const Store& store, double placing_seconds, Communicator& all) {
    const auto sum = [&](std::uint64_t own) {
      return static_cast<std::uint64_t>(all.sum(static_cast<std::int64_t>(own)));
    };
    survey_seconds = placing_seconds + store.survey_seconds();
    order_seconds = store.order_seconds();
    data = store.of_data();
    query = store.of_queries();
    ranks = all.size();
    tiles = static_cast<std::int64_t>(store.map().size());
    visits = all.sum(visits);
    most_points = std::ranges::max(all.gather_value(store.points()));
    sent_bytes = sum(sent_bytes + store.sent_bytes());
    temporary_bytes = sum(temporary_bytes + store.file_bytes());
  }

  /// Adds what all ranks have counted of the rows, which have been delivered. All ranks call it.
  void add(const ResultStore& store, Communicator& all) {
    const RowCounts& counts = store.counts();
    rows = {all.sum(counts.neighbors), all.sum(counts.full_rows), all.sum(counts.past_float32),
            all.sum(counts.far_rows)};
    temporary_bytes += static_cast<std::uint64_t>(all.sum(static_cast<std::int64_t>(store.file_bytes())));
    sent_bytes += static_cast<std::uint64_t>(all.sum(static_cast<std::int64_t>(store.sent_bytes())));
    first_distances = store.first_distances().distances();
    const std::vector<float> of_all = all.gather_values(first_distances);
    for (std::size_t i = 0; i < of_all.size(); ++i) {  // a query was added by one rank, and is k_none on the others
      float& first = first_distances[i % first_distances.size()];
      first = std::max(first, of_all[i]);
    }
  }
};

/// The result of a search from files that keeps its rows.
struct FileSearchResult {
  ResultStore rows;
  FileSearchReport report;
};

/// Keeps the report of a search, with the steps and the peak of those before it.
inline void keep_last(SearchReport report, FileSearchReport& all) {
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
