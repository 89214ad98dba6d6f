// Reports, in the order of the jobs of a batch, how each of them ended.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cli/batch/batch_job.hpp"
#include "cli/batch/publication_gate.hpp"
#include "cli/report/batch_counts.hpp"
#include "cli/report/pending_reports.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {

class FinishedJobs {
 public:
  /// @param count the number of all jobs, if it is known
  FinishedJobs(const Options& batch, Progress& progress, std::optional<std::int64_t> count)
      : batch_(batch),
        progress_(progress),
        count_(count),
        pending_reports_([this] { return hold(); }, [this] { say_waiting(); }) {
    begin_batch_counts(count);
  }

  /// Names the job in the progress line.
  void begin(const BatchJob& job);

  /// The gate for jobs whose result gets its name: a signal waits for these until they are added here.
  PublicationGate& publications() { return publications_; }

  /// Takes a job that has ended, on any thread. Reports it as soon as all jobs before it have ended: its messages, the
  /// path of its result or its report on stdout, and its report in the file. @throws Error resources.
  void add(std::unique_ptr<BatchJob> job);

  /// Reports, as far as possible, the jobs that still wait for earlier ones. Called when the report or standard output
  /// cannot be written, so that those earlier jobs will not come.
  void say_rest() noexcept;

  /// Ends the batch after its last job: prints the line that counts the jobs, and adds a last line to the report if
  /// `left` jobs, not 0, were given up. Returns the exit code of the first job that failed; 0: none did.
  /// @throws Error check_failed (no job came, and jobs were to be checked), resources.
  int end(std::int64_t left);

  bool any_failed() const;

  /// Whether a job has failed because the device cannot be used: all others would fail, too.
  bool lacks_device() const;

 private:
  void say(BatchJob& job);
  bool hold();
  void say_waiting();
  void show_progress();

  const Options& batch_;
  Progress& progress_;
  const std::optional<std::int64_t> count_;
  Report report_;                                              // the report of the batch itself
  mutable std::timed_mutex mutex_;                             // guards all that follows, and the output
  std::map<std::int64_t, std::unique_ptr<BatchJob>> waiting_;  // jobs that wait for earlier ones
  std::int64_t next_ = 1;
  int exit_code_ = 0;
  RateEstimate rate_;
  std::string searched_ = "batch";  // the job that the progress line names
  bool any_failed_ = false, lacks_device_ = false;
  PublicationGate publications_;
  PendingReports pending_reports_;
};

}  // namespace kann::cli
