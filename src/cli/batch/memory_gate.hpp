// Lets a job begin when its memory fits beside that of the running jobs.
#pragma once

#include <condition_variable>
#include <mutex>

namespace kann::cli {

class MemoryGate {
 public:
  /// @param bytes that all jobs may take together
  explicit MemoryGate(double bytes) : budget_(bytes) {}

  /// Blocks until `bytes` fit, or nobody else holds any: a job that is too large runs alone.
  void acquire(double bytes) {
    std::unique_lock lock(mutex_);
    released_.wait(lock, [&] { return jobs_ == 0 || used_ + bytes <= budget_; });
    used_ += bytes;
    ++jobs_;
  }

  void release(double bytes) {
    const std::lock_guard lock(mutex_);
    used_ = --jobs_ == 0 ? 0 : used_ - bytes;
    released_.notify_all();
  }

 private:
  const double budget_;
  std::mutex mutex_;
  std::condition_variable released_;
  double used_ = 0;
  int jobs_ = 0;
};

}  // namespace kann::cli
