// What is wrong with a list of jobs as a whole.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cli/batch/job_entry.hpp"
#include "cli/options.hpp"

namespace kann::cli {

/// The outputs of a stream of jobs.
class StreamOutputs {
 public:
  explicit StreamOutputs(const Options& batch) : batch_(batch) {}

  /// Gives the job a fault if its output is that of an earlier one.
  void add(JobEntry& job);

 private:
  const Options& batch_;
  std::unordered_map<std::string, std::string> where_;  // by what their paths resolve to
};

/// Marks jobs of a file that cannot run by their fault, such as an unknown output format.
/// @throws Error usage: two jobs have one output, an output is an input of some job, or --query has such a fault.
void check_jobs(std::vector<JobEntry>& jobs, const Options& batch);

}  // namespace kann::cli
