// Finds what is wrong with a list of jobs as a whole.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/batch/job_entry.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

/// Remembers the files of a stream of jobs.
class StreamFiles {
 public:
  explicit StreamFiles(const Options& batch) : batch_(batch) {}

  /// Gives the job a fault if its output is an output or an input of an earlier job, or its input is an output of one:
  /// jobs overlap, so the input might be read before it is written.
  void add(JobEntry& job);

 private:
  using Places = std::unordered_map<std::size_t, std::string>;  // where a file was named, by the hash of its path
  const Options& batch_;
  Places inputs_, outputs_;
};

/// Gives each job of a file that cannot run its fault, such as an unknown output format.
/// @throws Error usage: two jobs have one output, an output is an input of some job, or --query has such a fault.
void check_jobs(std::vector<JobEntry>& jobs, const Options& batch);

}  // namespace kann::cli
