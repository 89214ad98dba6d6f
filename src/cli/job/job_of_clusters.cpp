// The steps of a Job that finds clusters in the place of neighbours.
#include <utility>

#include "cli/job/job.hpp"

namespace kann::cli {

/// Finds clusters, in memory or in tiles.
void Job::search_clusters() {
  const Options& asked = job_.options;
  Report& report = job_.report;
  if (!clouds_.are_in_files() && asked.max_memory) bytes_in_memory();
  describe_search();
  ClusterOptions options = *asked.cluster;
  options.periodic = search_options_.periodic;
  options.sky = search_options_.sky;
  options.invalid = search_options_.invalid;
  options.device = search_options_.device;
  options.start_up = search_options_.start_up;
  options.threads = search_options_.threads;
  options.data_name = search_options_.data_name;
  options.on_progress = search_options_.on_progress;
  if (clouds_.are_in_files()) {
    flow::FileSearch& files = *clouds_.files();
    report.search = files.cluster(options);
    report.files = files.report();
    report.clusters = files.clusters().counts;
    labels_.emplace(std::span<const std::int64_t>(files.clusters().labels));
    found_ = files.found();
    return;
  }
  const Cloud& data = clouds_.data_cloud();
  clusters_ = cluster(data.points, options);
  report.search = std::move(clusters_.report);
  report.clusters = clusters_.counts;
  labels_.emplace(std::span<const std::int32_t>(clusters_.labels));
  neighbors_.queries = data.points.size();  // without neighbours
  found_ = &in_memory_.emplace(neighbors_, data, data);
}

}  // namespace kann::cli
