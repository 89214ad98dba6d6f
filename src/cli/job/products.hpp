// What a job makes of the rows: the result, a cloud, a picture, statistics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kann/io.hpp"

#include "cli/asked/products_asked.hpp"
#include "cli/columns/computed_columns.hpp"
#include "cli/job/clouds.hpp"
#include "cli/job/context.hpp"
#include "cli/job/pair_table.hpp"
#include "cli/options/output_path.hpp"
#include "flow/lists_in_tiles.hpp"
#include "flow/rows/found.hpp"
#include "formats/neighbors/placed_rows.hpp"

namespace kann::cli {

class Products {
 public:
  /// `job` and `clouds` must outlive this object.
  /// @param files the output files, opened before the work so that one that cannot be written is found first
  Products(const JobContext& job, const Clouds& clouds, OutputFiles files)
      : job_(job), clouds_(clouds), files_(std::move(files)), asked_(job.options, files_) {}

  /// Leaves room in the result for `queries` rows of k neighbours, if its file has a place for each, and they are not
  /// needed beside it. Returns whether that is so: they are then to be written by write_found(), and need not be kept.
  bool reserve_rows(std::int64_t queries, std::int64_t k);

  /// Writes the rows of `search`, which finds them, to their places in the result.
  void write_found(const RowBlocks& search) { place_->write(search); }

  /// Makes all of them; the files get their names in publish(). Blocks. @throws Error of any kind.
  /// @param found in the place of rows, points without neighbours may have labels
  /// @param labels those of clusters; null: there are none
  void make(const flow::Found& found, const ClusterLabels* labels = nullptr);

  /// The same where nothing but the number of neighbours is wanted, which the report has.
  void make_counts() { job_.report.write_seconds = job_.report.sync_seconds = 0; }

  /// Writes the rows that one rank has as a result of their own; blocks. make() then leaves them out.
  /// @throws Error of any kind.
  void write_part(const RowBlocks& rows);

  /// The same for rows that write_found() has written.
  void join_written();

  /// Refuses rows of any length for which there is no room: in the folder of temporary files, or where the result goes.
  /// @throws Error resources.
  void check_disk(const flow::CountedLists& counted, const std::string& folder) const;

  /// Makes sure that the report has the hashes of the clouds, if the result names them. Blocks.
  void identify() const;

  /// Gives the files their names: first the result, then the pictures. Report::output_written says whether the result
  /// has its name, also after a failure.
  void publish();

 private:
  RowBlocks with_vectors(const RowBlocks& rows) const;
  void warn_of_lost_shifts();
  void compute_columns(const ClusterLabels* labels);
  void show_writing();
  void write_result();
  ResultExtras extras(const std::string& meta);
  std::int64_t kept_queries() const;
  void report_kept(std::int64_t queries);

  /// Those that no condition leaves out.
  std::int64_t queries() const { return found_->query_count() - job_.report.query->left_out; }
  void write_cloud();
  void write_table();
  void draw();
  void measure(const RowBlocks& rows);
  void publish_result();
  void publish_picture();

  const JobContext& job_;
  const Clouds& clouds_;
  OutputFiles files_;
  const ProductsAskedFor asked_;
  std::optional<formats::PlacedRows> place_;  ///< of rows that have been written while they were found
  const flow::Found* found_ = nullptr;
  std::optional<ComputedColumns> columns_;
  std::vector<ColumnBlocks> npz_columns_;
  std::vector<Attribute> globals_;
};

}  // namespace kann::cli
