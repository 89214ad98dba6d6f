// Says of the jobs of a batch, in their order, what became of them.
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
  /// @param count of all jobs, if it is known
  FinishedJobs(const Options& batch, Progress& progress, std::optional<std::int64_t> count)
      : batch_(batch),
        progress_(progress),
        count_(count),
        pending_reports_([this] { return hold(); }, [this] { say_waiting(); }) {
    begin_batch_counts(count);
  }

  /// Names the job in the progress line.
  void begin(const BatchJob& job);

  /// For jobs whose result gets its name: until they are added here, a signal waits for them.
  PublicationGate& publications() { return publications_; }

  /// Takes a job from any thread, and says what there is to say of it as soon as all jobs before it have ended: its
  /// messages, the path of its result on stdout, or its report there and in the file. @throws Error resources.
  void add(std::unique_ptr<BatchJob> job);

  /// Says what waits for jobs that will not come, since the report or standard output cannot be written, as far as it
  /// can be said.
  void say_rest() noexcept;

  /// The line that counts the jobs. `left`: jobs that were given up.
  void say_counts(std::int64_t left);

  /// Adds a last line to the report, with these counts, if jobs were given up. @throws Error resources.
  void publish_end();

  bool any_failed() const;

  /// Whether the device cannot be used, which all jobs will find.
  bool lacks_device() const;

  /// That of the first job that failed; 0: none did.
  int exit_code() const;

  /// Whether no job came.
  bool is_empty() const;

 private:
  void say(BatchJob& job);
  bool hold();
  void say_waiting();
  void show_progress();

  const Options& batch_;
  Progress& progress_;
  const std::optional<std::int64_t> count_;
  Report report_;                                              // of the batch itself
  mutable std::timed_mutex mutex_;                             // of all that follows, and of what is printed
  std::map<std::int64_t, std::unique_ptr<BatchJob>> waiting_;  // for jobs before them
  std::int64_t next_ = 1;
  int exit_code_ = 0;
  RateEstimate rate_;
  std::string searched_ = "batch";  // the job that the progress line names
  bool any_failed_ = false, lacks_device_ = false;
  PublicationGate publications_;
  PendingReports pending_reports_;
};

}  // namespace kann::cli
