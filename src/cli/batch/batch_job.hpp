// One job of a batch on its way through the threads.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "cli/batch/job_entry.hpp"
#include "cli/job/job.hpp"
#include "cli/options/options.hpp"
#include "cli/process/batch_counts.hpp"
#include "cli/report/failure.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/messages.hpp"

namespace kann::cli {

struct BatchJob {
  /// @param batch the options of the batch; those of the job are known once its entry is checked
  BatchJob(JobEntry given, const Options& batch) : entry(std::move(given)), options(batch) {
    options.is_batch_job = true;
    report.job = entry.number;
  }

  JobEntry entry;
  Options options;
  Report report;
  Messages messages;
  std::optional<Job> job;
  bool by_index = false;
  bool is_stored = false;  ///< its result is there, and is judged
  double bytes = 0;        ///< memory that the job holds at the MemoryGate

  /// Calls a step unless an earlier one has failed or ended the job; an exception becomes the failure of the report.
  template <class Step>
  void attempt(Step step) {
    if (report.failure || report.is_skipped) return;
    try {
      step();
    } catch (...) {
      report.failure = current_failure(options, report);
    }
  }

  JobEnd end() const {
    return report.failure ? JobEnd::failed : report.is_skipped || is_stored ? JobEnd::skipped : JobEnd::done;
  }
};

}  // namespace kann::cli
