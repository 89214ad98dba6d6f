#include "cpu/vector/vector_target.hpp"

namespace kann::cpu {
namespace {

VectorTarget& chosen() {
  static VectorTarget target = widest_vector_target();
  return target;
}

}  // namespace

VectorTarget widest_vector_target() {
#if defined(__x86_64__)
  // Features decide, which includes whether the operating system supports them; names would be known of few processors.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("f16c")) {
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    return wide ? VectorTarget::avx512 : VectorTarget::avx2;
  }
#endif
  return VectorTarget::scalar;
}

VectorTarget vector_target() { return chosen(); }

VectorTargetScope::VectorTargetScope(VectorTarget target) : before_(chosen()) { chosen() = target; }
VectorTargetScope::~VectorTargetScope() { chosen() = before_; }

}  // namespace kann::cpu
