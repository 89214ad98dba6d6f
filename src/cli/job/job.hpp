// One job, step by step: reads the clouds, searches, makes the products, and checks the result.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "kann/clusters.hpp"
#include "kann/neighbors.hpp"
#include "kann/search.hpp"

#include "cli/asked/point_groups.hpp"
#include "cli/asked/query_limits.hpp"
#include "cli/columns/cluster_labels.hpp"
#include "cli/job/checks.hpp"
#include "cli/job/clouds.hpp"
#include "cli/job/context.hpp"
#include "cli/job/device_start.hpp"
#include "cli/job/products.hpp"
#include "cli/options/output_path.hpp"
#include "flow/rows/found.hpp"
#include "search/list_search.hpp"

namespace kann::cli {

/// The functions are the steps of a job, to be called in this order, each by any thread. They fill in the report, so
/// that after a failure it describes the completed steps. All block, and throw Error of every kind. After a failure,
/// the result file is absent or unchanged; only if a check of the result fails or cannot be done, it is complete.
class Job {
 public:
  /// `context` is copied; what it refers to must outlive the job.
  /// @param search_options the search options of the job, with as many threads as can be started
  /// @param files the output files, opened before the work so that one that cannot be written is found first
  Job(const JobContext& context, const SearchOptions& search_options, OutputFiles files)
      : job_(context),
        search_options_(search_options),
        clouds_(job_),
        products_(job_, clouds_, std::move(files)),
        checks_(job_, search_options.threads) {
    search_options_.k = job_.options.search.k;  // a batch has options of the search before it knows the formats
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Reads the clouds, as Clouds::read() says.
  void read_clouds(std::shared_ptr<const LoadedData> earlier = nullptr);

  /// The data that were read, or taken from an earlier job; null if the clouds are not in memory.
  const std::shared_ptr<const LoadedData>& data() const { return clouds_.data(); }

  /// @param start_up the start of the device, if it has begun
  /// @param by_index whether the index of the data is used, and kept for other jobs
  void search(const StartUp& start_up, bool by_index = false);

  /// Takes the rows of an earlier result in the place of a search. The clouds are in memory. @throws Error bad_input:
  /// it is of other clouds, or damaged.
  void take_rows(const std::string& result);

  /// With --output-per-rank, writes the rows of this rank; the file gets its name in publish().
  void write_part();

  /// Where several ranks search together, rank 0 takes the steps that follow alone. Whenever it has taken some of them,
  /// it calls end_service(); the other ranks call serve(), which sends it what they have found until then.
  void serve();
  void end_service();

  /// Makes everything that was asked for of the rows; files get their names in publish().
  void make_products();

  /// Gives the files their names.
  void publish() { products_.publish(); }

  /// Prints one line that says what was done, and how long it took.
  void summarise() const;

  /// Makes all checks that were asked for, whether or not one fails. @throws Error check_failed for the first check
  /// that fails.
  void check() { checks_.make(*found_, groups_ ? std::optional(groups_->view()) : std::nullopt); }

 private:
  double bytes_in_memory() const;
  void describe_search();
  void count_left_out();
  void find_groups();
  void search_in_memory(bool by_index);
  void search_files();
  void search_lists();
  void search_clusters();
  void choose_mutual();
  void choose_one_to_one();
  void choose_one_to_one_of_lists();
  void warn_of_lost_distances();
  void search_lists_in_files();
  void report_memory();

  const JobContext job_;
  SearchOptions search_options_;
  Clouds clouds_;
  Products products_;
  Checks checks_;
  Neighbors neighbors_;
  std::optional<PointGroups> groups_;
  std::optional<flow::Found> in_memory_;
  std::optional<detail::ListSearch> lists_;  ///< rows of any length of clouds in memory, for found_
  ClusterResult clusters_;                   ///< of clouds in memory
  std::optional<ClusterLabels> labels_;      ///< of clusters_, or of a search in tiles
  const flow::Found* found_ = nullptr;       ///< null if the rows were written while they were found
};

}  // namespace kann::cli
