// The clouds of a job: in memory, or as files that are read in blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kann/io.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "cli/job/context.hpp"
#include "cli/job/loaded_data.hpp"
#include "flow/file_search.hpp"

namespace kann::cli {

/// What the search of a job finds.
inline flow::Finds finds(const Options& options) {
  if (options.cluster) return flow::Finds::clusters;
  return options.all_neighbors ? flow::Finds::lists : flow::Finds::rows;
}

class Clouds {
 public:
  explicit Clouds(const JobContext& job) : job_(job) {}

  /// Reads the clouds, unless the search of them does not fit in memory; fills in Report::data and Report::query.
  /// Messages about the data precede those about the queries, whichever file is read first. For a grid, no cells are
  /// made yet; their number is in the report. Blocks. @throws Error as read_points() and flow::plan_files().
  /// @param earlier the data of an earlier job, or null; used if this job has the same data, and the file is unchanged
  void read(std::shared_ptr<const LoadedData> earlier);

  /// What read() would find, from the heads of the files alone. @throws as flow::outline_search() and, as far as the
  /// heads say it, as read().
  flow::SearchOutline outline() const;

  /// The search from files; null: the clouds are in memory.
  flow::FileSearch* files() { return files_ ? &*files_ : nullptr; }

  bool are_in_files() const { return files_.has_value(); }

  /// Where temporary files go; none if the clouds are in memory.
  std::optional<std::string> temporary_folder() const;

  /// What is charged with the memory that products take; null: all clouds are in memory.
  base::MemoryBudget* memory() const { return files_ ? &files_->memory() : nullptr; }

  /// The data in memory; null if they are not.
  const std::shared_ptr<const LoadedData>& data() const { return data_; }
  const Cloud& data_cloud() const { return data_->cloud(); }
  const Cloud& query_cloud() const { return job_.options.self_query() ? data_->cloud() : query_; }

  /// Makes the cells of the grid, if the queries are these. Blocks. @throws Error resources.
  void make_cells(int threads);

  /// Computes the hashes of the clouds, for the result and to compare with those in an earlier one, if the report does
  /// not have them. The cells of a grid need none: step, shape and origin identify them. Blocks.
  void identify() const;

 private:
  void compare_systems(const Cloud& data, const Cloud& queries);
  void warn_of_unit(const PointsView& points, const std::string& file);
  void read_or_plan(std::shared_ptr<const LoadedData> earlier);
  flow::FileRequest file_request() const;
  bool plan_files(const flow::FileRequest& request);
  void lay_grid();

  const JobContext& job_;
  std::shared_ptr<const LoadedData> data_;
  Cloud query_;
  std::optional<flow::FileSearch> files_;
};

}  // namespace kann::cli
