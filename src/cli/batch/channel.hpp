// A queue of a few values between threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace kann::cli {

template <class T>
class Channel {
 public:
  explicit Channel(std::size_t capacity) : capacity_(capacity) {}

  /// Appends a value; blocks while the channel is full.
  void push(T value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return values_.size() < capacity_; });
    values_.push_back(std::move(value));
    changed_.notify_all();
  }

  /// The oldest value; blocks while there is none. None once it is empty and closed.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !values_.empty() || is_closed_; });
    if (values_.empty()) return std::nullopt;
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    changed_.notify_all();
    return value;
  }

  /// Says that no further value will be pushed.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> values_;
  bool is_closed_ = false;
};

}  // namespace kann::cli
