// Work that another thread does while the caller goes on.
#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <utility>

#include "base/signal_stack.hpp"

namespace kann::base {

/// Pieces of work, one at a time, in the order in which they are given.
class OneBehind {
 public:
  /// Waits until the work before is done, and begins f() on another thread, or calls it here where there is none.
  /// @throws what the work before has thrown: f is then not called.
  template <class F>
  void run(F f) {
    wait();
    // Not in the call itself, which, where it fails, has destroyed what it was given
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

  /// Until all work is done; blocks. @throws what it has thrown.
  void wait() {
    if (running_.valid()) running_.get();
  }

 private:
  std::future<void> running_;  // of std::async: its destructor waits
};

}  // namespace kann::base
