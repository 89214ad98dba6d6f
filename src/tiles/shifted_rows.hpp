// What becomes of the queries of a shifted sort in tiles after the last shift.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/record_batch.hpp"
#include "io/files/spool.hpp"
#include "problem/problem.hpp"
#include "problem/survey.hpp"
#include "tiles/exact.hpp"
#include "tiles/point_source.hpp"
#include "tiles/row_store.hpp"
#include "tiles/shifts/sampled_rows.hpp"
#include "tiles/shifts/shift_queries.hpp"
#include "tiles/tile_options.hpp"
#include "tiles/tile_rows.hpp"

namespace kann::tiles {

/// Rows that are not doubtful go to the result. Doubtful queries, and those of the sample, are searched exactly.
template <class T, int D>
class ShiftedRows {
 public:
  /// `p` is the search in all of the data. Keeps references to options and ranks.
  /// @param data_rows with those that are not valid
  /// @param survey of all queries, which are read for the sample where some are not valid
  /// @param width of the box of both clouds: whether distances may be past float32
  /// @throws what PointSource::for_each_block() does
  ShiftedRows(const problem::Problem& p, std::int64_t data_rows, const PointSource& queries,
              const problem::Survey& survey, double width, const TileOptions& options, comm::Communicator& ranks);

  /// Takes what sampled queries have seen in a tile of a shift, after they were searched there.
  void look_at_sample(int shift, const ShiftTile<T, D>& tile, ShiftQueries<T, D>& queries);

  /// Takes queries that were searched in all shifts. @throws Error resources.
  void finish(ShiftQueries<T, D>& queries);

  /// To be called when all queries of all ranks are finished. All ranks call it; it blocks.
  /// @param queries null in a self-query
  /// @param shifts times, bytes and skipped points of the search before
  /// @throws as exact().
  TileAnswer search_exactly(const PointSource& data, const PointSource* queries, const TileReport& shifts);

 private:
  const problem::Problem p_;
  const bool may_overflow_;
  const TileOptions& options_;
  comm::Communicator& ranks_;
  RowStore rows_;
  SampledRows sample_;
  io::Spool exact_;              // queries that are to be searched exactly
  comm::RecordBatch batch_;      // for that
  std::int64_t doubtful_ = 0;    // rows of this rank
  std::int64_t short_rows_ = 0;  // that a window has left with fewer than k neighbours, though there are points enough
  RowCounts counts_;             // of rows that are not doubtful, where they may overflow or end at a radius
};

}  // namespace kann::tiles
