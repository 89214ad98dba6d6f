// The floating-point environment that every answer is defined in.
#pragma once

#include <cfenv>

namespace kann::base {

/// Rounding to nearest, and subnormal numbers kept, while it lives; then the thread's own environment again. A program
/// built with -ffast-math, or its libraries, may have set others: with subnormals flushed to zero, distances below
/// 10⁻³⁸ and the keys of neighbours at distance 0 were lost. Threads inherit the environment of the thread that starts
/// them, so that each needs its own. Some 100 cycles.
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
