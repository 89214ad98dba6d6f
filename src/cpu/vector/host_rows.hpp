// Where the rows of the result go.
#pragma once

#include <cmath>
#include <cstdint>

#include "cpu/vector/names.hpp"
#include "geometry/distance.hpp"

namespace kann::cpu {

struct HostRows {
  std::int32_t* ids = nullptr;
  float* distances = nullptr;
  std::int64_t k = 0;
  double unit = 1;
};

}  // namespace kann::cpu
