// How many jobs of a batch have ended, for its last line and the last line of its report, which any thread may write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kann::cli {

/// How a job ended.
enum class JobEnd { done, skipped, failed };

/// How far a batch has come.
struct BatchCounts {
  std::int64_t done = 0, skipped = 0, failed = 0;
  std::optional<std::int64_t> left;  ///< jobs that have not ended; none for a stream, whose length is not known
  double seconds = 0;                ///< since it began
};

/// Begins the counts of a batch of `jobs` jobs, or of an unknown number. Only one batch per process.
/// @param are_said whether the last line is printed
void begin_batch_counts(std::optional<std::int64_t> jobs, bool are_said) noexcept;

/// Counts a job that has ended. May be called on any thread; does not block.
void count_job(JobEnd end) noexcept;

/// The counts; none if no batch has begun. May be called on any thread; does not block.
std::optional<BatchCounts> batch_counts() noexcept;

/// "batch: 2 done, 0 skipped, 1 failed, 3 left in 0.4 s"; the part about jobs left is omitted if there are none, or
/// their number is unknown.
std::string counts_text(const BatchCounts& counts);

/// The last line of a batch, as it stands now, in `memory` of at least k_longest_counts bytes; empty if there is none.
/// Async-signal-safe.
inline constexpr std::size_t k_longest_counts = 512;
std::string_view said_counts(std::span<char> memory) noexcept;

}  // namespace kann::cli
