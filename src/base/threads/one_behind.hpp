// Does work on another thread while the caller goes on.
#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <utility>

#include "base/threads/signal_stack.hpp"

namespace kann::base {

/// Runs pieces of work, one at a time, in the order in which they are given.
class OneBehind {
 public:
  /// Waits until the previous work is done, then begins f() on another thread, or calls it on this one if none can be
  /// started.
  /// @throws what the previous work has thrown: f is then not called.
  template <class F>
  void run(F f) {
    wait();
    // f is moved before std::async(), which destroys its arguments if it fails
    auto work = std::make_shared<F>(std::move(f));
    try {
      running_ = std::async(std::launch::async, [work] {
        const SignalStack stack;
        (*work)();
      });
    } catch (const std::system_error&) {
      (*work)();
    }
  }

  /// Waits until all work is done; blocks. @throws what the work has thrown.
  void wait() {
    if (running_.valid()) running_.get();
  }

 private:
  std::future<void> running_;  // from std::async(): its destructor waits
};

}  // namespace kann::base
