// A fixture for tests of code that is compiled once per vector target: runs them on each target that this processor
// has.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "cpu/vector/vector_target.hpp"

namespace kann::cpu {

class OnVectorTarget : public testing::TestWithParam<VectorTarget> {
 protected:
  OnVectorTarget() : scope_(std::min(GetParam(), widest_vector_target())) {}
  void SetUp() override {
    if (GetParam() > widest_vector_target()) GTEST_SKIP() << "this processor has no such vectors";
  }

 private:
  VectorTargetScope scope_;
};

inline auto vector_targets() { return testing::Values(VectorTarget::scalar, VectorTarget::avx2, VectorTarget::avx512); }

inline std::string name_of(VectorTarget target) {
  return target == VectorTarget::scalar ? "Scalar" : target == VectorTarget::avx2 ? "Avx2" : "Avx512";
}

inline std::string vector_target_name(const testing::TestParamInfo<VectorTarget>& target) {
  return name_of(target.param);
}

/// What GoogleTest and CTest show beside the name of a test.
inline void PrintTo(VectorTarget target, std::ostream* out) { *out << name_of(target); }

}  // namespace kann::cpu
