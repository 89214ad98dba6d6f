// A result as a table: a line for each pair of a query and a data point, with what was computed for the query, and with
// --join the columns of both clouds.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/io.hpp"
#include "kann/vectors.hpp"

#include "cli/columns/computed_columns.hpp"
#include "cli/options/options.hpp"
#include "flow/rows/found.hpp"
#include "formats/files/byte_sink.hpp"
#include "formats/text/csv_cells.hpp"

namespace kann::cli {

/// What Options::writes_vectors() is about, of a block with its queries and data. @throws Error as neighbor_vectors().
NeighborVectors vectors_of(const Options& options, const flow::FoundBlock& block, int threads);

class PairTable {
 public:
  /// Writes the first line. With --join, it has the names of both sides, `nn_id` and `nn_distance`; else `query`,
  /// `rank`, `id` and `distance`, or for clusters `query`; with --images all, shifts, too. The computed columns follow.
  /// A name that both sides of a join have, or that is one of these, is `query_NAME` and `data_NAME`; else so is that
  /// of a computed column. The arguments must outlive this object.
  /// @throws Error bad_input, as chosen_columns().
  PairTable(const Options& options, const flow::Found& found, const ComputedColumns& computed, formats::ByteSink& sink,
            int threads);

  /// Writes the lines of consecutive queries, in which NaN is an empty cell. Blocks. @throws Error resources.
  void add(const flow::FoundBlock& block);

  /// How many queries have a line so far.
  std::int64_t kept_queries() const { return kept_queries_; }

 private:
  /// Where the query, the data point and the pair of each line are, the pair among all of the rows; −1: there is none.
  struct Lines {
    std::vector<std::int64_t> queries, data, pairs;
    std::vector<std::int64_t> answered;  ///< the query, or −1 if it has no neighbour, from which it could get a value
  };

  /// Leaves out the lines whose pairs do not meet --keep, and counts the queries that still have one.
  void leave_out(const Rows& rows, Lines& lines);

  const Options& options_;
  const ComputedColumns& computed_;
  const bool has_pairs_;  ///< not of clusters, nor of queries without a neighbour
  const char delimiter_;
  std::vector<ChosenColumn> chosen_;
  std::vector<formats::CellColumn> data_;
  std::int64_t kept_queries_ = 0, last_query_ = -1;
  formats::ByteSink& sink_;
  const int threads_;
};

}  // namespace kann::cli
