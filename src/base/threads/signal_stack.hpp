// A stack on which a signal handler runs when the thread's own has overflowed.
#pragma once

#include <signal.h>

namespace kann::base {

/// To be the first object in the function of a thread: it then lies at the beginning of the stack, which a later
/// overflow does not reach.
class SignalStack {
 public:
  SignalStack() noexcept {
    stack_t stack{};
    stack.ss_sp = bytes_;
    stack.ss_size = sizeof bytes_;
    sigaltstack(&stack, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  alignas(16) char bytes_[32 << 10];
  stack_t before_{};
};

}  // namespace kann::base
