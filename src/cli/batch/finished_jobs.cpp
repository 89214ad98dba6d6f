#include "cli/batch/finished_jobs.hpp"

#include <chrono>
#include <utility>

#include "kann/error.hpp"

#include "base/threads/first_exception.hpp"
#include "cli/report/batch_counts.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/outcome.hpp"
#include "cli/report/publish_report.hpp"
#include "cli/terminal/log.hpp"
#include "cli/terminal/progress_text.hpp"

namespace kann::cli {
namespace {

/// How long hold() waits, out of the second in which a signal must end the program.
constexpr std::chrono::milliseconds k_hold_limit{100};

}  // namespace

void FinishedJobs::begin(const BatchJob& job) {
  const std::lock_guard lock(mutex_);
  searched_ = job.options.query.value_or(job.options.data);
  show_progress();
}

void FinishedJobs::add(std::unique_ptr<BatchJob> job) {
  const std::lock_guard lock(mutex_);
  stop_if_ended();
  any_failed_ |= job->report.failure.has_value();
  lacks_device_ |= job->report.failure && job->report.failure->kind == "no_device";
  waiting_.emplace(job->entry.number, std::move(job));
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.begin()) {
    const std::unique_ptr<BatchJob> next = std::move(first->second);
    waiting_.erase(first);
    ++next_;
    say(*next);
  }
  show_progress();
}

void FinishedJobs::say(BatchJob& job) {
  const JobEnd end = job.end();
  count_job(end);
  progress_.clear();
  const auto named = [&](const std::string& message) { return with_name(job.entry, message); };
  job.messages.log(named);
  if (end == JobEnd::failed) {
    const Failure& failure = *job.report.failure;
    if (exit_code_ == 0) exit_code_ = failure.exit_code.value_or(static_cast<int>(ErrorKind::internal));
    if (!failure.is_quiet) log_error(named(failure.message));
  }
  base::FirstException first;  // report and stdout are both tried: one may be on a full disk
  first.capture([&] { publish_to_files(job.options, job.report); });
  first.capture([&] {
    if (batch_.json || end != JobEnd::failed || job.report.output_written) print_outcome(job.options, job.report);
  });
  first.rethrow();
}

/// Leaves the mutex locked.
bool FinishedJobs::hold() {
  publications_.close(k_hold_limit);
  return mutex_.try_lock_for(k_hold_limit);
}

void FinishedJobs::say_waiting() {
  while (!waiting_.empty()) say(*waiting_.extract(waiting_.begin()).mapped());
}

void FinishedJobs::show_progress() {
  const Amount ended{static_cast<double>(next_ - 1), static_cast<double>(count_.value_or(0)), "jobs"};
  rate_.add(batch_counts()->seconds, ended.done);
  progress_.show(searched_, amount_text(ended, rate_.per_second(), rate_.seconds_left(ended.total)));
}

void FinishedJobs::say_rest() noexcept {
  const std::lock_guard lock(mutex_);
  base::FirstException known;
  while (!waiting_.empty()) known.capture([&] { say(*waiting_.extract(waiting_.begin()).mapped()); });
}

int FinishedJobs::end(std::int64_t left) {
  const std::lock_guard lock(mutex_);
  if (next_ == 1 && (batch_.verify || batch_.compare))
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
  return any_failed_;
}

bool FinishedJobs::lacks_device() const {
  const std::lock_guard lock(mutex_);
  return lacks_device_;
}

}  // namespace kann::cli
