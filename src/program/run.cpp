#include "program/run.hpp"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "kann/error.hpp"
#include "kann/search.hpp"

#include "base/threads/start_threads.hpp"
#include "cli/batch/batch.hpp"
#include "cli/info/info.hpp"
#include "cli/job/device_start.hpp"
#include "cli/job/job.hpp"
#include "cli/manual/manual.hpp"
#include "cli/options/output_path.hpp"
#include "cli/process/batch_counts.hpp"
#include "cli/report/outcome.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"

namespace kann::program {

using namespace cli;

namespace {

/// Starts the threads before any file is read, so that a run which cannot have them fails at once.
int start_threads(const Options& options, Report& report) {
  const base::StartedThreads threads = base::start_threads(options.search.threads);
  if (threads.count < threads.wanted) {
    report.warnings.push_back(
        fmt::format("not all of {} threads can be started (address space, or a limit on processes); {} do the work",
                    threads.wanted, threads.count));
    log_warning(report.warnings.back());
  }
  return threads.count;
}

/// Whether the result is there, and wanted no more: as rank 0 sees it or, of parts of it, as all do.
bool is_done(const Options& options, flow::Communicator& ranks) {
  if (!options.skip_existing) return false;
  if (options.output_per_rank) return !ranks.any(!has_result(options));
  return ranks.any(ranks.rank() == 0 && has_result(options));
}

/// Rank 0 writes all of them, but parts of the result.
OutputFiles open_outputs_of_rank(const Options& options, const flow::Communicator& ranks) {
  if (!options.output_per_rank) return ranks.rank() == 0 ? open_outputs(options) : OutputFiles();
  Options own = options;
  if (ranks.rank() > 0) own.picture = std::nullopt;
  if (options.skip_existing) {  // some parts may be there, of a run that was killed while it named them
    own.skip_existing = false;
    own.force = true;
  }
  return open_outputs(own);
}

/// What ranks but 0 do after the search: they send rank 0 what they have found, while it makes products of the rows,
/// and again while it judges them. In between, all name their parts of the result: none has failed.
void serve(Job& job, const Options& options) {
  job.serve();
  if (options.output_per_rank) job.publish();
  job.serve();
}

void run_job(const Options& options, Report& report, DeviceStart& device, flow::Communicator& ranks) {
  Progress progress(shows_progress(options));
  Messages messages(progress);
  protect_inputs(options);
  protect_files_from_reports(options);
  if (is_done(options, ranks)) {
    if (ranks.rank() > 0) return;
    log_info(options.output + (options.has_checks() ? " exists; judged as it is" : " exists; skipped"));
    begin_reports(options, report);
    report.is_skipped = true;
    if (options.has_checks()) {
      Options stored = options;
      stored.rows_are_stored = true;
      Job job({stored, report, messages, start_threads(options, report)}, options.search, OutputFiles());
      job.read_clouds();
      job.take_rows(options.output);
      job.check();
    }
    publish_to_files(options, report);
    return print_outcome(options, report);
  }
  if (const auto size = expected_search(options)) device.expect(detail::cpu_seconds(*size, options.search));
  begin_reports(options, report);
  OutputFiles files = open_outputs_of_rank(options, ranks);
  SearchOptions search_options = options.search;
  search_options.threads = start_threads(options, report);
  Job job({options, report, messages, search_options.threads, ranks}, search_options, std::move(files));
  job.read_clouds();
  job.search(device.start_up());
  if (options.output_per_rank) job.write_part();
  if (ranks.rank() > 0) return serve(job, options);
  job.make_products();
  job.end_service();
  job.publish();
  if (!options.json) print_outcome(options, report);
  job.summarise();
  if (options.has_checks()) job.check();
  job.end_service();
  publish_to_files(options, report);
  if (options.json) print_outcome(options, report);
}

}  // namespace

int run(const Options& options, Report& report, flow::Communicator& ranks) {
  if (options.action == Action::info) return ranks.rank() == 0 ? show_contents(options) : 0;
  if (options.action == Action::check) return ranks.rank() == 0 ? check_results(options) : 0;
  if (options.action != Action::search) return print(text_of(options)), 0;

  if (options.plan) {
    if (!ranks.is_alone()) throw Error(ErrorKind::usage, "--plan is about one process; start it without MPI");
    return show_plans(options);
  }
  DeviceStart device(options.search);  // first, as that takes longest
  check_stdout(options);
  if (!options.is_batch()) return run_job(options, report, device, ranks), 0;

  begin_batch_counts(std::nullopt, !options.quiet);  // for a signal that comes before the jobs
  Progress progress(shows_progress(options));
  const std::unique_ptr<JobSource> jobs = open_jobs(options);
  protect_files_from_reports(options);
  begin_reports(options, report);
  SearchOptions search_options = options.search;
  search_options.threads = start_threads(options, report);
  Options common = options;
  common.queries.clear();  // each job has a copy of the rest
  common.is_batch_job = true;
  try {
    return run_batch(common, *jobs, search_options, device, report, progress);
  } catch (...) {
    if (const auto counts = batch_counts()) report.batch = {*counts, "error"};
    throw;
  }
}

}  // namespace kann::program
