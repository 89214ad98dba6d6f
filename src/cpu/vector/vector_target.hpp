// Which of the compiled vector targets runs. Every path gives the same bytes.
#pragma once

namespace kann::cpu {

/// `scalar` is C++ for any processor; the others are what Highway calls AVX2 and AVX3 (AVX-512 F, BW, CD, DQ, VL).
enum class VectorTarget { scalar, avx2, avx512 };

/// The widest target that this processor has.
VectorTarget widest_vector_target();

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
