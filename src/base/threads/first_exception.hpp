// Passes an exception from a group of threads to the thread that joins them.
#pragma once

#include <atomic>
#include <exception>

namespace kann::base {

/// The first exception that a group of threads throws. rethrow() is called after all of them have ended.
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
