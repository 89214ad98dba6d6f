// Reports how many bytes of a file are done while several threads work on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace kann::formats {

/// Calls a function on the thread that made this object. Other threads only count, so that the function needs no lock.
/// Meant to be used every few megabytes, not for every row.
class ByteProgress {
 public:
  using Report = std::function<void(std::uint64_t done, std::uint64_t total)>;

  ByteProgress() = default;

  /// @param report may be empty
  /// @param total  bytes of the whole; 0: not known
  ByteProgress(Report report, std::uint64_t total) : report_(std::move(report)), total_(total) {}

  bool is_shown() const { return static_cast<bool>(report_); }

  /// Counts so many more bytes. Any thread may call it.
  void add(std::uint64_t bytes) { say(done_ += bytes); }

  /// Sets how many bytes are done in all. Any thread may call it.
  void set(std::uint64_t done) { say(done_ = done); }

 private:
  void say(std::uint64_t done) const {
    if (report_ && std::this_thread::get_id() == owner_) report_(done, total_);
  }

  Report report_;
  std::uint64_t total_ = 0;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<std::uint64_t> done_{0};
};

}  // namespace kann::formats
