#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/threads/parallel.hpp"
#include "cli/batch/batch.hpp"
#include "cli/batch/job_entry.hpp"
#include "cli/batch/job_source.hpp"
#include "cli/job/checks.hpp"
#include "cli/job/clouds.hpp"
#include "cli/options/options.hpp"
#include "cli/options/output_path.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"
#include "search/devices/device_choice.hpp"

namespace kann::cli {
namespace {

/// The device of the search or, in tiles and pieces, of the search of one.
detail::ExpectedDevice device_of(const Options& options, const flow::SearchOutline& outline) {
  detail::SearchSize size;
  size.is_self = options.self_query();
  if (const auto& shape = outline.shape) {
    size.data_points = shape->data;
    size.query_points = shape->queries;
    size.dimensions = shape->dimensions;
  }
  if (const auto& sizes = outline.sizes) {
    if (sizes->tile_points > 0) size.data_points = std::min(size.data_points, sizes->tile_points);
    size.query_points = std::min(size.query_points, sizes->piece_queries);
  }
  size.finds_clusters = options.cluster.has_value();
  SearchOptions search = options.search;
  if (outline.device.is_chosen()) search.device = outline.device.choice;
  return detail::expected_device(size, outline.shape && outline.shape->is_float64, search);
}

/// What a job with these options would do, as far as the heads of its files tell. No file is made or changed. Blocks.
/// @throws Error usage, bad_input, resources, no_device: those that the job would end with, as far as they are known.
RunPlan plan_job(const Options& options) {
  protect_inputs(options);
  protect_files_from_reports(options);
  check_outputs(options);
  Report report;
  Messages messages;
  const JobContext job{options, report, messages, base::thread_count(options.search.threads)};
  Checks(job, job.io_threads).open_reference();
  RunPlan plan{.search = Clouds(job).outline()};
  auto [device, reason] = device_of(options, plan.search);
  plan.device = std::move(device);
  plan.device_reason = plan.search.device.is_chosen() ? plan.search.device.reason : std::move(reason);
  std::error_code ignored;
  std::vector<OutputPath> files = output_paths(options);
  if (options.report && !options.is_batch_job) files.push_back({*options.report, "--report"});
  if (options.html && options.has_page) files.push_back({*options.html, "--html"});
  for (OutputPath& file : files) {
    const bool exists = std::filesystem::exists(file.path, ignored);
    plan.outputs.push_back({std::move(file), exists});
  }
  return plan;
}

void print_plan(const Options& options, const RunPlan& plan) { write_to_stdout(plan_text(options, plan)); }

}  // namespace

int show_plans(const Options& options) {
  if (!options.is_batch()) return print_plan(options, plan_job(options)), 0;
  const std::unique_ptr<JobSource> jobs = open_jobs(options);
  protect_files_from_reports(options);
  Options common = options;
  common.queries.clear();  // as in a batch that is made
  std::optional<int> first_failure;
  while (const auto entry = jobs->next([] { return false; })) {
    std::optional<RunPlan> plan;
    Options of_job = common;
    try {
      of_job = checked_options_of(*entry, common);
      plan = plan_job(of_job);
    } catch (...) {
      const Failure failure = current_failure(options, {});
      log_error(with_name(*entry, failure.message));
      if (!first_failure) first_failure = failure.exit_code;
      if (options.fail_fast || failure.kind == "no_device") break;  // as a batch ends
    }
    if (plan) print_plan(of_job, *plan);
  }
  return first_failure.value_or(0);
}

}  // namespace kann::cli
