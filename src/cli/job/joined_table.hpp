// The table of --join: pairs of queries and data points with the columns of both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kann/io.hpp"

#include "cli/options/options.hpp"
#include "flow/rows/found.hpp"
#include "formats/files/byte_sink.hpp"
#include "formats/text/csv_cells.hpp"

namespace kann::cli {

class JoinedTable {
 public:
  /// Writes the first line: the names of both sides, `nn_id` and `nn_distance`. A name that both sides have, or that is
  /// one of these two, is `query_NAME` and `data_NAME`. `options` and `sink` must outlive this object.
  /// @param queries, data clouds with the names of the columns; they may have no points
  /// @throws Error bad_input, as chosen_columns().
  JoinedTable(const Options& options, const Cloud& queries, const Cloud& data, formats::ByteSink& sink, int threads);

  /// Writes the lines of consecutive queries, in which NaN is an empty cell. Blocks. @throws Error resources.
  /// @param is_kept per query, whether it has lines: 1, or 0; empty: all have
  void add(const flow::FoundBlock& block, std::span<const std::uint8_t> is_kept);

  /// How many queries have a line so far.
  std::int64_t kept_queries() const { return kept_queries_; }

 private:
  void leave_out(const Rows& rows, std::vector<std::int64_t>& queries, std::vector<std::int64_t>& data,
                 std::vector<std::int64_t>& pairs);

  const Options& options_;
  const Join join_;
  const char delimiter_;
  std::vector<ChosenColumn> chosen_;
  std::vector<formats::CellColumn> data_;
  std::int64_t kept_queries_ = 0, last_query_ = -1;
  formats::ByteSink& sink_;
  const int threads_;
};

}  // namespace kann::cli
