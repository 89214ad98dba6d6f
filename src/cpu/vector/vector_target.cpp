#include "cpu/vector/vector_target.hpp"

namespace kann::cpu {
namespace {

VectorTarget& chosen() {
  static VectorTarget target = vector_targets().back();
  return target;
}

}  // namespace

std::vector<VectorTarget> vector_targets() {
  std::vector<VectorTarget> targets{VectorTarget::scalar};
#if defined(__x86_64__)
  // Features decide, which includes whether the operating system supports them; names would be known of few processors.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("f16c")) {
    targets.push_back(VectorTarget::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      targets.push_back(VectorTarget::avx512);
  }
#elif defined(__aarch64__)
  targets.push_back(VectorTarget::neon);
#endif
  return targets;
}

VectorTarget vector_target() { return chosen(); }

VectorTargetScope::VectorTargetScope(VectorTarget target) : before_(chosen()) { chosen() = target; }
VectorTargetScope::~VectorTargetScope() { chosen() = before_; }

}  // namespace kann::cpu
