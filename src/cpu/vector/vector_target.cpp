#include "cpu/vector/vector_target.hpp"

namespace kann::cpu {
namespace {

Level& chosen() {
  static Level level = widest_level();
  return level;
}

}  // namespace

Level widest_level() {
#if defined(__x86_64__)
  // By features, the operating system's consent included; a processor's name would be known for few.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("f16c")) {
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    return wide ? Level::avx512 : Level::avx2;
  }
#endif
  return Level::plain;
}

Level level() { return chosen(); }

LevelScope::LevelScope(Level level) : before_(chosen()) { chosen() = level; }
LevelScope::~LevelScope() { chosen() = before_; }

}  // namespace kann::cpu
