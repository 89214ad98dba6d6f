// Which of the compiled vector targets runs. Every path gives the same bytes.
#pragma once

#include <vector>

namespace kann::cpu {

/// `scalar` is C++ for any processor; the others are what Highway calls AVX2, AVX3 (AVX-512 F, BW, CD, DQ, VL) and
/// NEON, which every 64-bit ARM processor has.
enum class VectorTarget { scalar, avx2, avx512, neon };

/// The targets that this processor has, the widest at the end.
std::vector<VectorTarget> vector_targets();

/// The target in use: the widest, except in tests.
VectorTarget vector_target();

/// For tests: `target` is in use while the object lives. Must not be made or destroyed while a search runs.
class VectorTargetScope {
 public:
  explicit VectorTargetScope(VectorTarget target);
  ~VectorTargetScope();
  VectorTargetScope(const VectorTargetScope&) = delete;
  VectorTargetScope& operator=(const VectorTargetScope&) = delete;

 private:
  VectorTarget before_;
};

}  // namespace kann::cpu
