#include "cpu/vector/vector_target.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kann::cpu {
namespace {

VectorTarget& chosen() {
  static VectorTarget target = vector_targets().back();
  return target;
}

#if defined(__x86_64__)
/// Clang knows this feature by its name from version 17 on only.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}
#endif

}  // namespace

std::vector<VectorTarget> vector_targets() {
  std::vector<VectorTarget> targets{VectorTarget::scalar};
#if defined(__x86_64__)
  // Features decide, which includes whether the operating system supports them; names would be known of few processors.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") && has_f16c()) {
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
