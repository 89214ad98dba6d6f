#include "cli/batch/show_plans.hpp"

#include <memory>
#include <optional>

#include "cli/batch/job_entry.hpp"
#include "cli/batch/job_source.hpp"
#include "cli/job/plan.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"

namespace kann::cli {
namespace {

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
