// How many jobs of a batch have ended, for its last line and the last line of its report, from whichever thread ends
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kann::cli {

/// What became of a job.
enum class JobEnd { done, skipped, failed };

/// How a batch stands.
struct BatchCounts {
  std::int64_t done = 0, skipped = 0, failed = 0;
  std::optional<std::int64_t> left;  ///< jobs that have not ended; none: a stream, whose end is not known
  double seconds = 0;                ///< since it began
};

/// A batch of so many jobs begins, if that is known. One in a process.
void begin_batch_counts(std::optional<std::int64_t> jobs) noexcept;

/// A job has ended. From any thread; does not block.
void count_job(JobEnd end) noexcept;

/// None if no batch has begun. From any thread; does not block.
std::optional<BatchCounts> batch_counts() noexcept;

/// "batch: 2 done, 0 skipped, 1 failed, 3 left in 0.4 s"; what is left is not said where it is none, or unknown.
std::string counts_text(const BatchCounts& counts);

}  // namespace kann::cli
