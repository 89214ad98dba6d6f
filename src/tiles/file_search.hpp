// A search from files, in pieces or tiles where it does not fit in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/io.hpp"
#include "kann/search.hpp"

#include "comm/communicator.hpp"
#include "tiles/file_source.hpp"
#include "tiles/in_pieces.hpp"
#include "tiles/plan.hpp"
#include "tiles/row_store.hpp"
#include "tiles/tile_options.hpp"
#include "tiles/tile_report.hpp"

namespace kann::tiles {

struct FileRequest {
  comm::Communicator& ranks;  ///< that search together; must outlive the search
  std::string data;
  std::optional<std::string> query;  ///< none: a self-query
  ReadOptions of_data, of_query;
  SearchOptions search;
  std::optional<double> budget;        ///< bytes of host memory of a rank; none: what is available
  std::optional<std::int64_t> judged;  ///< queries that measure_sample() is to judge, 0: all; none: it is not called
  std::string beside;                  ///< what else is wanted that is not made in tiles, for the message; or ""
  std::string folder;                  ///< where temporary files go
};

/// Refuses a search of clouds that are in memory if it takes more than the budget: they were read from streams, whose
/// size nothing says before. @param queries none: a self-query @throws Error resources.
void check_in_memory(const PointsView& data, const PointsView* queries, const SearchOptions& search, double budget);

class FileSearch {
 public:
  /// Looks at the heads of the files. Nothing where this process is alone, and the search fits in memory or, without a
  /// budget, nothing says how much it takes or it cannot be made in tiles. Blocks.
  /// @throws Error resources: it takes more than the budget or, of a shifted sort, than there is, and cannot be made in
  ///         tiles, or not in so little; usage:
  ///         several ranks cannot make it; bad_input: they see different files; and as read_points().
  static std::optional<FileSearch> plan(const FileRequest& request);

  std::int64_t data_size() const { return data_->size(); }
  std::int64_t query_size() const { return query_ ? query_->size() : data_->size(); }
  int dimensions() const { return data_->dimensions(); }
  const std::vector<std::string>& data_columns() const { return data_columns_; }
  const std::vector<std::string>& query_columns() const { return query_columns_; }

  /// coordinates_hash() of the data, and of the queries, after run(). All ranks call them.
  std::uint64_t data_hash() const { return hash_of(*data_); }
  std::uint64_t query_hash() const { return query_ ? hash_of(*query_) : data_hash(); }

  /// What read_points() warns of in both files, those of the data first.
  const std::vector<std::string>& file_warnings() const { return file_warnings_; }

  /// Whether run() can give the rows to somebody who takes them, in their order: the data are not divided.
  bool is_in_pieces() const { return is_in_pieces_; }

  /// Searches, and keeps the rows, or gives them to `take`, which may be called by another thread; blocks.
  /// @throws Error of any kind, and what `take` throws.
  SearchReport run(const SearchOptions& search, const TakePiece& take = nullptr);

  const TileReport& report() const { return report_; }

  /// tiles::measure_sample() of the rows that run() has kept, `sample` of them or, if it is 0, all.
  Accuracy measure_sample(std::int64_t sample, const AccuracyOptions& options) const;

  /// The rows that run() has kept, as long as this object is where it is: all rows, on rank 0 while the others are in
  /// serve_rows(), until it calls end_service(). Or those of this rank, from number `first` on.
  RowBlocks rows() const;
  RowBlocks own_rows(std::int64_t& first) const;
  void serve_rows() const { rows_->serve(); }
  void end_service() const { rows_->end_service(); }

 private:
  explicit FileSearch(comm::Communicator& ranks) : ranks_(&ranks) {}

  std::uint64_t hash_of(const FileSource& cloud) const;
  SearchShape share_of(int ranks, const SearchOptions& search) const;

  comm::Communicator* ranks_;
  std::unique_ptr<FileSource> data_, query_;
  std::vector<std::string> data_columns_, query_columns_, file_warnings_;
  std::vector<std::pair<std::string, std::filesystem::file_time_type>> written_;  ///< when the files were, before
  TileOptions options_;
  double budget_ = 0;  // bytes of the host's memory
  bool is_in_pieces_ = false;
  std::unique_ptr<RowStore> rows_;
  TileReport report_;
};

}  // namespace kann::tiles
