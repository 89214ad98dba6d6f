// Reports how each job of a batch ended, as it ends, and the batch itself.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cli/batch/batch_job.hpp"
#include "cli/process/batch_counts.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/time_left.hpp"

namespace kann::cli {

class FinishedJobs {
 public:
  /// @param report of the batch itself @param count the number of all jobs, if it is known
  FinishedJobs(const Options& batch, Report& report, Progress& progress, std::optional<std::int64_t> count)
      : batch_(batch), report_(report), progress_(progress), count_(count) {
    begin_batch_counts(count, !batch.quiet);
  }

  /// Names the job in the progress line.
  void begin(const BatchJob& job);

  /// Reports a job that has ended, on any thread: its messages (on a terminal, warnings and errors alone, as there may
  /// be thousands of jobs), the path of its result or its report on stdout, and its report in the file.
  /// @throws Error resources.
  void add(BatchJob& job);

  /// Ends the batch after its last job: prints the line that counts the jobs, and ends report and page. @param left the
  /// number of jobs that were given up. Returns the exit code of the first job, in their order, that failed; 0: none
  /// did.
  /// @throws Error check_failed (no job came, and jobs were to be checked), resources.
  int end(std::int64_t left);

  bool any_failed() const;

  /// Whether a job has failed because the device cannot be used: all others would fail, too.
  bool lacks_device() const;

 private:
  void show_progress();

  const Options& batch_;
  Report& report_;
  Progress& progress_;
  const std::optional<std::int64_t> count_;
  mutable std::mutex mutex_;  // guards all that follows, and the output
  std::int64_t ended_ = 0;
  std::int64_t first_failed_ = 0;  // its number; 0: none has failed
  int exit_code_ = 0;              // of that job
  RateEstimate rate_;
  std::string searched_ = "batch";  // the job that the progress line names
  bool lacks_device_ = false;
};

}  // namespace kann::cli
