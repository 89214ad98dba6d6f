// A fixture for tests of code that is compiled once per vector target: runs them on each target that this processor
// has.
#pragma once

#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "cpu/vector/vector_target.hpp"

namespace kann::cpu {

class OnVectorTarget : public testing::TestWithParam<VectorTarget> {
  VectorTargetScope scope_{GetParam()};
};

inline std::string name_of(VectorTarget target) {
  constexpr const char* names[] = {"Scalar", "Avx2", "Avx512", "Neon"};
  return names[static_cast<int>(target)];
}

inline std::string vector_target_name(const testing::TestParamInfo<VectorTarget>& target) {
  return name_of(target.param);
}

/// What GoogleTest and CTest show beside the name of a test.
inline void PrintTo(VectorTarget target, std::ostream* out) { *out << name_of(target); }

}  // namespace kann::cpu
