#include "cli/report/batch_counts.hpp"

#include <atomic>
#include <chrono>
#include <fmt/format.h>

namespace kann::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> has_begun{false};
std::atomic<std::int64_t> all_jobs{-1}, ended[3] = {};  // -1: not known
std::atomic<Clock::rep> began{0};

std::int64_t count_of(JobEnd end) noexcept { return ended[static_cast<int>(end)]; }

}  // namespace

void begin_batch_counts(std::optional<std::int64_t> jobs) noexcept {
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
  const std::int64_t left = counts.left.value_or(0);
  return fmt::format("batch: {} done, {} skipped, {} failed{} in {:.1f} s", counts.done, counts.skipped, counts.failed,
                     left > 0 ? fmt::format(", {} left", left) : "", counts.seconds);
}

}  // namespace kann::cli
