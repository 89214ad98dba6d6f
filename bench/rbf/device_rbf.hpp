// Kernels of radial basis functions on a device against cuBLAS; no_cuda_rbf.cpp defines it in builds without CUDA.
#pragma once

#include <string>

#include "common/spread.hpp"
#include "geometry/interpolation/rbf_input.hpp"

namespace kann::bench {

struct DeviceTimes {
  Spread kann;                    ///< assembly, solution and sums, all on the device
  Spread cublas;                  ///< the same systems: assembly, getrfBatched, getrsBatched and sums; 0 runs if none
  std::string no_cublas;          ///< why there are none
  double largest_difference = 0;  ///< of the values, relative to the largest value
};

/// Measures the first attribute of `input` on the current device. Blocks.
DeviceTimes measure_on_device(const interpolation::RbfInput& input, int repeat);

}  // namespace kann::bench
