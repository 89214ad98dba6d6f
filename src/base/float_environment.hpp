// The floating-point environment in which every answer is defined.
#pragma once

#include <cfenv>

namespace kann::base {

/// Sets rounding to nearest and keeps subnormal numbers during its lifetime, then restores the thread's environment. A
/// program built with -ffast-math, or one of its libraries, may have changed that: with subnormals flushed to zero,
/// distances below 10⁻³⁸ and the keys of neighbours at distance 0 were lost. A thread inherits the environment of the
/// thread that starts it, so every thread needs one of these. Takes some 100 cycles.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() noexcept {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace kann::base
