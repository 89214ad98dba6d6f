// Which of the compiled vector paths runs. Every path gives the same bytes.
#pragma once

namespace kann::cpu {

/// `plain` is C++ for any processor; the others are what Highway calls AVX2 and AVX3 (AVX-512 F, BW, CD, DQ, VL).
enum class Level { plain, avx2, avx512 };

/// The widest level that this processor has.
Level widest_level();

/// The level in use: the widest, but in tests.
Level level();

/// For tests: uses `level` while it lives. Not while a search runs.
class LevelScope {
 public:
  explicit LevelScope(Level level);
  ~LevelScope();
  LevelScope(const LevelScope&) = delete;
  LevelScope& operator=(const LevelScope&) = delete;

 private:
  Level before_;
};

}  // namespace kann::cpu
