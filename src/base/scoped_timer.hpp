// Measures how long a block of code takes.
#pragma once

#include <chrono>
#include <optional>

namespace kann::base {

/// Adds the time from its construction to its destruction to a number of seconds.
class ScopedTimer {
 public:
  explicit ScopedTimer(std::optional<double>& seconds) : seconds_(seconds.emplace(seconds.value_or(0))) {}
  ~ScopedTimer() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kann::base
