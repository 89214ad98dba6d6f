#include "cli/process/batch_counts.hpp"

#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <iterator>

namespace kann::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> has_begun{false}, has_line{false};
std::atomic<std::int64_t> all_jobs{-1}, ended[3] = {};  // -1: not known
std::atomic<Clock::rep> began{0};

std::int64_t count_of(JobEnd end) noexcept { return ended[static_cast<int>(end)]; }

/// Writes the counts to an output iterator. fmt allocates nothing for whole numbers and few decimals.
template <class Out>
Out write_counts(Out out, const BatchCounts& counts) {
  out = fmt::format_to(out, "batch: {} done, {} skipped, {} failed", counts.done, counts.skipped, counts.failed);
  if (counts.left.value_or(0) > 0) out = fmt::format_to(out, ", {} left", *counts.left);
  return fmt::format_to(out, " in {:.1f} s", counts.seconds);
}

}  // namespace

void begin_batch_counts(std::optional<std::int64_t> jobs, bool are_said) noexcept {
  has_line = are_said;
  all_jobs = jobs.value_or(-1);
  began = Clock::now().time_since_epoch().count();
  has_begun = true;
}

void count_job(JobEnd end) noexcept { ++ended[static_cast<int>(end)]; }

std::optional<BatchCounts> batch_counts() noexcept {
  if (!has_begun) return std::nullopt;
  BatchCounts counts{count_of(JobEnd::done), count_of(JobEnd::skipped), count_of(JobEnd::failed), std::nullopt,
                     std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(began)).count()};
  if (all_jobs >= 0) counts.left = all_jobs - counts.done - counts.skipped - counts.failed;
  return counts;
}

std::string counts_text(const BatchCounts& counts) {
  std::string text;
  write_counts(std::back_inserter(text), counts);
  return text;
}

std::string_view said_counts(std::span<char> memory) noexcept {
  const auto counts = batch_counts();
  if (!counts || !has_line) return {};
  char* end = fmt::format_to(memory.data(), "kann: ");
  end = write_counts(end, *counts);
  *end++ = '\n';
  return {memory.data(), end};
}

}  // namespace kann::cli
