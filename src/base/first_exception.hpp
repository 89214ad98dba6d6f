// Exceptions carried out of a group of threads.
#pragma once

#include <atomic>
#include <exception>

namespace kann::base {

/// The first exception thrown by a group of threads, kept until all threads are out of it.
class FirstException {
 public:
  template <class F>
  void capture(F&& f) noexcept {
    try {
      f();
    } catch (...) {
      if (!caught_.exchange(true)) exception_ = std::current_exception();
    }
  }
  bool caught() const { return caught_; }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> caught_{false};
  std::exception_ptr exception_;
};

}  // namespace kann::base
