#include "cli/batch/finished_jobs.hpp"

#include <unistd.h>

#include "kann/error.hpp"

#include "base/threads/first_exception.hpp"
#include "cli/report/outcome.hpp"
#include "cli/report/page.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"
#include "cli/terminal/progress_text.hpp"

namespace kann::cli {

void FinishedJobs::begin(const BatchJob& job) {
  const std::lock_guard lock(mutex_);
  searched_ = job.options.query.value_or(job.options.data);
  show_progress();
}

void FinishedJobs::add(BatchJob& job) {
  const std::lock_guard lock(mutex_);
  const JobEnd end = job.end();
  count_job(end);
  ++ended_;
  progress_.clear();
  const auto named = [&](const std::string& message) { return with_name(job.entry, message); };
  job.messages.log(named, stderr_is_terminal() && !batch_.verbose);
  if (end == JobEnd::failed) {
    const Failure& failure = *job.report.failure;
    lacks_device_ |= failure.kind == "no_device";
    if (first_failed_ == 0 || job.entry.number < first_failed_) {
      first_failed_ = job.entry.number;
      exit_code_ = failure.exit_code.value_or(static_cast<int>(ErrorKind::internal));
    }
    if (!failure.is_quiet) log_error(named(failure.message));
  }
  if (batch_.html)
    (end == JobEnd::failed ? report_.failed_rows : report_.other_rows) += batch_page_row(job.options, job.report);
  base::FirstException first;  // report and stdout are both tried: one may be on a full disk
  first.capture([&] { append_to_report(job.options, job.report); });
  first.capture([&] {
    if (batch_.json || end != JobEnd::failed || job.report.output_written) print_outcome(job.options, job.report);
  });
  show_progress();
  first.rethrow();
}

void FinishedJobs::show_progress() {
  const Amount ended{static_cast<double>(ended_), static_cast<double>(count_.value_or(0)), "jobs"};
  rate_.add(batch_counts()->seconds, ended.done);
  progress_.show(searched_, amount_text(ended, rate_.per_second(), rate_.seconds_left(ended.total)));
}

int FinishedJobs::end(std::int64_t left) {
  const std::lock_guard lock(mutex_);
  if (ended_ == 0 && (batch_.verify || batch_.compare))
    throw Error(ErrorKind::check_failed, "nothing could be checked: the batch has no job");
  progress_.clear();
  BatchCounts counts = *batch_counts();
  if (left > 0 || !counts.left) counts.left = left;  // a stream has ended, so the number is now known
  report_.batch = {counts, left > 0 ? "failure" : ""};
  log_info(counts_text(counts));
  publish_to_files(batch_, report_);
  return exit_code_;
}

bool FinishedJobs::any_failed() const {
  const std::lock_guard lock(mutex_);
  return first_failed_ > 0;
}

bool FinishedJobs::lacks_device() const {
  const std::lock_guard lock(mutex_);
  return lacks_device_;
}

}  // namespace kann::cli
