#include "cli/process/batch_counts.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>

namespace kann::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> has_begun{false}, has_line{false};
std::atomic<std::int64_t> all_jobs{-1}, ended[3] = {};  // -1: not known
std::atomic<Clock::rep> began{0};

std::int64_t count_of(JobEnd end) noexcept { return ended[static_cast<int>(end)]; }

/// A text in memory that was given, by functions that a handler of signals may call.
class Text {
 public:
  explicit Text(std::span<char> memory) : memory_(memory) {}
  Text& operator<<(std::string_view text) {
    text.copy(memory_.data() + size_, text.size());
    size_ += text.size();
    return *this;
  }
  Text& operator<<(std::int64_t number) { return end_at(std::to_chars(end(), past(), number).ptr); }
  Text& operator<<(double seconds) {
    return end_at(std::to_chars(end(), past(), seconds, std::chars_format::fixed, 1).ptr);
  }
  std::string_view view() const { return {memory_.data(), size_}; }

 private:
  char* end() { return memory_.data() + size_; }
  char* past() { return memory_.data() + memory_.size(); }
  Text& end_at(const char* end) {
    size_ = static_cast<std::size_t>(end - memory_.data());
    return *this;
  }

  std::span<char> memory_;
  std::size_t size_ = 0;
};

void write_counts(Text& out, const BatchCounts& counts) {
  out << "batch: " << counts.done << " done, " << counts.skipped << " skipped, " << counts.failed << " failed";
  if (counts.left.value_or(0) > 0) out << ", " << *counts.left << " left";
  out << " in " << counts.seconds << " s";
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
  std::array<char, k_longest_counts> memory;
  Text text(memory);
  write_counts(text, counts);
  return std::string(text.view());
}

std::string_view said_counts(std::span<char> memory) noexcept {
  const auto counts = batch_counts();
  if (!counts || !has_line) return {};
  Text text(memory);
  text << "kann: ";
  write_counts(text, *counts);
  text << "\n";
  return text.view();
}

}  // namespace kann::cli
