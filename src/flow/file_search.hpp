// A search from files, in pieces or tiles where it does not fit in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/clusters.hpp"
#include "kann/io.hpp"
#include "kann/query_grid.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "base/memory_budget.hpp"
#include "flow/clusters_in_tiles.hpp"
#include "flow/file_plan.hpp"
#include "flow/file_search_report.hpp"
#include "flow/in_pieces.hpp"
#include "flow/lists_in_tiles.hpp"
#include "flow/rows/found.hpp"
#include "flow/rows/result_store.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

class FileSearch {
 public:
  explicit FileSearch(FilePlan plan) : plan_(std::move(plan)) {}

  const CloudSource& data() const { return *plan_.clouds.data; }
  const CloudSource& queries() const { return plan_.clouds.queries(); }
  const std::optional<QueryGrid>& grid() const { return plan_.clouds.grid; }

  /// coordinates_hash() of the data, and of the queries, after the search.
  std::uint64_t data_hash() const { return data_hash_; }
  std::uint64_t query_hash() const { return query_hash_; }

  /// What read_points() warns of in both files, those of the data first.
  const std::vector<std::string>& file_warnings() const { return plan_.clouds.warnings; }

  /// Whether run() can give the rows to somebody who takes them, in their order: the data are not divided.
  bool is_in_pieces() const { return plan_.is_in_pieces; }

  /// What the search has charged, whose limit is the memory that run() may take, with base::program_bytes().
  base::MemoryBudget& memory() const { return *plan_.memory; }

  /// Searches, and keeps the rows, or gives them to `take`, which may be called by another thread; blocks.
  /// @throws Error of any kind, and what `take` throws.
  SearchReport run(const SearchOptions& search, const TakePiece& take = nullptr);

  /// Finds the lists of all neighbours within the radius; blocks. With Finds::lists.
  /// @throws as lists_in_tiles().
  SearchReport list(const SearchOptions& search, const ListRequest& request);

  /// Finds clusters; blocks. With Finds::clusters. @throws as clusters_in_tiles().
  SearchReport cluster(const ClusterOptions& options);

  /// What cluster() has found.
  const FileClusters& clusters() const { return *clusters_; }

  /// The rows that this rank has, after run() has kept them: consecutive ones, of which RowBlocks::first is the first.
  RowBlocks own_rows() const;

  /// After the search, rank 0 has what was found by these functions; it asks the other ranks for their part, which they
  /// send in serve() until rank 0 calls end_service(), or until a rank fails. Ranks but 0 call serve(); it blocks.
  void serve() const;
  void end_service() const;

  /// Where temporary files go.
  const std::string& folder() const { return plan_.options.folder; }

  const FileSearchReport& report() const { return report_; }

  /// What was found, on rank 0, as long as this object is where it is; after cluster(), without neighbours. Null if
  /// run() has not kept the rows, or list() has only counted them.
  const Found* found() const { return found_ ? &*found_ : nullptr; }

 private:
  void add_hashes();
  FileSearchResult keep_rows() const;
  SearchReport report_of(const SearchOptions& search) const;
  void set_found(RowBlocks rows, std::int64_t block_rows);

  FilePlan plan_;
  std::unique_ptr<ResultStore> store_;  // null: rows were given away, or lists only counted
  std::optional<Found> found_;
  std::optional<FileClusters> clusters_;
  FileSearchReport report_;
  std::uint64_t data_hash_ = 0, query_hash_ = 0;
};

}  // namespace kann::flow
