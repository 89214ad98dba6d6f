// A search from files, in pieces or tiles where it does not fit in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/io.hpp"
#include "kann/query_grid.hpp"
#include "kann/search.hpp"

#include "base/memory_budget.hpp"
#include "flow/in_pieces.hpp"
#include "flow/plan.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/tile_options.hpp"
#include "flow/rows/file_answer.hpp"
#include "flow/rows/row_store.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/tile_report.hpp"

namespace kann::flow {

struct FileRequest {
  Communicator& ranks;  ///< that search together; must outlive the search
  std::string data;
  std::optional<std::string> query;  ///< none: a self-query, or the cells of a grid
  std::optional<double> grid_step;
  std::optional<QueryGrid> grid;  ///< the grid, where it is known that the search of its cells does not fit in memory
  ReadOptions of_data, of_query;
  SearchOptions search;
  std::optional<double> budget;        ///< bytes of host memory of a rank; none: what is available
  std::optional<std::int64_t> judged;  ///< queries that Answer::verify() is to judge, 0: all; none: it is not called
  ProductShape products;
  std::string folder;  ///< where temporary files go
};

/// Refuses a search of clouds that are in memory if it takes more than the budget: they were read from streams, whose
/// size nothing says before. @param queries none: a self-query @throws Error resources.
void check_in_memory(const PointsView& data, const PointsView* queries, const SearchOptions& search, double budget);

class FileSearch {
 public:
  /// Looks at the heads of the files, and over all of the data if the queries are the cells of a grid over them.
  /// Returns nothing where this process is alone, and the search fits in memory or, without a budget, nothing says how
  /// much it takes or it cannot be made in tiles. Blocks.
  /// @throws Error resources: it takes more than the budget or, of a shifted sort, than there is, and cannot be made in
  ///         tiles, or not in so little; usage: several ranks cannot make it; bad_input: they see different files; and
  ///         as read_points().
  static std::optional<FileSearch> plan(const FileRequest& request);

  std::int64_t data_size() const { return data_->size(); }
  std::int64_t query_size() const { return query_ ? query_->size() : data_->size(); }
  int dimensions() const { return data_->dimensions(); }
  const Cloud& described_data() const { return data_->described(); }
  const Cloud& described_queries() const { return (query_ ? *query_ : *data_).described(); }
  const std::optional<QueryGrid>& grid() const { return grid_; }

  /// coordinates_hash() of the data, and of the queries, after run(). All ranks call them.
  std::uint64_t data_hash() const { return hash_of(*data_); }
  std::uint64_t query_hash() const { return query_ ? hash_of(*query_) : data_hash(); }

  /// What read_points() warns of in both files, those of the data first.
  const std::vector<std::string>& file_warnings() const { return file_warnings_; }

  /// Whether run() can give the rows to somebody who takes them, in their order: the data are not divided.
  bool is_in_pieces() const { return is_in_pieces_; }

  /// What the search has charged, whose limit is the memory that run() may take, with base::program_bytes().
  base::MemoryBudget& memory() const { return *memory_; }

  /// Searches, and keeps the rows, or gives them to `take`, which may be called by another thread; blocks.
  /// @throws Error of any kind, and what `take` throws.
  SearchReport run(const SearchOptions& search, const TakePiece& take = nullptr);

  const TileReport& report() const { return report_; }

  /// The answer, as long as this object is where it is, if run() has kept the rows.
  const Answer& answer() const { return *answer_; }

 private:
  explicit FileSearch(Communicator& ranks) : ranks_(&ranks) {}

  std::uint64_t hash_of(const CloudSource& cloud) const;
  void lay_grid(const FileRequest& request);
  SearchShape share_of(const FileRequest& request) const;

  Communicator* ranks_;
  std::unique_ptr<base::MemoryBudget> memory_;  // before what is charged to it
  std::unique_ptr<CloudSource> data_, query_;
  std::optional<QueryGrid> grid_;
  std::vector<std::string> file_warnings_;
  std::vector<std::pair<std::string, std::filesystem::file_time_type>> written_;  ///< when the files were, before
  TileOptions options_;
  ProductShape products_;
  bool is_in_pieces_ = false;
  std::unique_ptr<RowStore> rows_;
  std::unique_ptr<FileAnswer> answer_;
  TileReport report_;
};

}  // namespace kann::flow
