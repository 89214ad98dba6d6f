// The jobs of a batch, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/batch/job_entry.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

class JobSource {
 public:
  virtual ~JobSource() = default;

  /// The next job; none at the end. Blocks while a stream has no line, unless is_stopped() becomes true.
  virtual std::optional<JobEntry> next(const std::function<bool()>& is_stopped) = 0;

  /// The number of jobs; none for a stream, whose number is known at its end.
  virtual std::optional<std::int64_t> count() const { return std::nullopt; }

  /// Up to `maximum` of the coming jobs, evenly spaced, each with the job before it if there is one. None for a stream.
  struct Sampled {
    JobEntry job;
    std::optional<JobEntry> before;
  };
  virtual std::vector<Sampled> sample(std::size_t maximum) const {
    return static_cast<void>(maximum), std::vector<Sampled>();
  }

  /// Whether the next job is known to search the data at `path`.
  virtual bool is_next_of(const std::string& path) const { return static_cast<void>(path), false; }
};

/// The jobs of --query or --jobs. The jobs of files are all read, and checked against each other, before the first one
/// is given.
/// @throws Error usage (two jobs with one output, an output that is an input), bad_input (the list cannot be read).
std::unique_ptr<JobSource> open_jobs(const Options& options);

}  // namespace kann::cli
