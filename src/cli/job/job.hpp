// One job: reads the clouds, searches, writes the result, checks it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kann/accuracy.hpp"
#include "kann/compare.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "cli/job/answers.hpp"
#include "cli/job/device_start.hpp"
#include "cli/job/loaded_data.hpp"
#include "cli/job/reference_meta.hpp"
#include "cli/options/options.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/messages.hpp"
#include "comm/communicator.hpp"
#include "tiles/file_search.hpp"

namespace kann::cli {

/// The functions are the steps of a job, to be called in this order, each by any thread. They fill in the report, so
/// that after a failure it describes the completed steps. All block, and throw Error of every kind. After a failure,
/// the result file is absent or unchanged; only if a check of the result fails or cannot be done, it is complete.
class Job {
 public:
  /// `options`, `report`, `messages` and `ranks` must outlive the job.
  /// @param ranks the ranks that do the job together, by the same calls
  /// @param search_options the search options of `options`, with as many threads as can be started
  /// @param io_threads the number of threads for reading and writing
  /// @param files the output files, opened before the work so that one that cannot be written is found first
  Job(const Options& options, Report& report, Messages& messages, const SearchOptions& search_options, int io_threads,
      OutputFiles files, comm::Communicator& ranks)
      : ranks_(ranks),
        options_(options),
        report_(report),
        messages_(messages),
        search_options_(search_options),
        io_threads_(io_threads),
        files_(std::move(files)) {}

  /// Reads the clouds. Messages about the data precede those about the queries, whichever file is read first. For a
  /// grid, no cells are made yet; their number is in the report.
  /// @param data the data of an earlier job, or null; used if this job has the same data, and the file is unchanged
  void read_clouds(std::shared_ptr<const LoadedData> data = nullptr);

  /// The data that were read, or taken from an earlier job.
  const std::shared_ptr<const LoadedData>& data() const { return data_; }

  /// @param start_up the start of the device, if it has begun
  /// @param by_index whether the index of the data is used, and kept for other jobs
  void search(const StartUp& start_up, bool by_index = false);

  /// Computes what was asked for besides the neighbours: outliers, attributes of the data.
  void answer();

  /// Writes the result, which gets its name in publish().
  void show_writing();
  void write();

  /// Makes the statistics and the pictures, if anyone is to see them.
  void measure();

  /// Gives the files their names: first the result, then the pictures. Report::output_written says whether the result
  /// has its name, also after a failure.
  void publish();

  /// Prints one line that says what was done, and how long it took.
  void summarise() const;

  /// Makes all checks that were asked for, whether or not one fails. @throws Error check_failed for the first check
  /// that fails.
  void check();

 private:
  static constexpr std::string_view k_queries = "queries";  ///< the unit in which progress is counted

  SearchResult search_once(const SearchOptions& options) const;
  SearchResult search_by_index(const SearchOptions& options) const;
  std::string beside_tiles() const;
  std::function<void(std::string_view, double)> progress_of(std::int64_t queries) const;
  void search_parts();
  bool wants_statistics() const;
  bool plan_tiles(const ReadOptions& of_data, const ReadOptions& of_query);
  void lay_grid();
  void read_reference();
  void identify_clouds();
  AccuracyOptions accuracy_options(std::string_view check);
  double judged_queries(const AccuracyOptions& options) const;
  void write_tiled_rows();
  bool write_at_once();
  void publish_result();
  void publish_picture(io::OutputFile* file, bool& is_written);
  void draw();
  void measure_own_rows();
  void write_histogram(const std::string& svg);
  std::optional<std::string> verify();
  std::optional<std::string> compare();
  std::optional<std::string> unmet_expectation() const;
  void phase(const std::string& name);
  void warn(const std::string& message);
  const Cloud& query_cloud() const { return options_.self_query() ? data_->cloud() : query_; }
  const Points& queries() const { return query_cloud().points; }

  comm::Communicator& ranks_;
  const Options& options_;
  Report& report_;
  Messages& messages_;
  SearchOptions search_options_;
  int io_threads_;
  std::shared_ptr<const LoadedData> data_;
  Cloud query_;
  std::optional<tiles::FileSearch> tiled_;  ///< set if the search does not fit in memory: the next three are then empty
  std::vector<std::byte> written_part_;     ///< what NeighborPart::write() returned for rows written during the search
  Neighbors neighbors_, reference_;
  ReferenceClaims claims_;
  Answers answers_;
  OutputFiles files_;
};

}  // namespace kann::cli
