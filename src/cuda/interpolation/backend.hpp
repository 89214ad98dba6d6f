// Local radial-basis interpolation on a GPU. Without nvcc, no_cuda.cpp implements it.
#pragma once

#include "cuda/runtime/names.hpp"
#include "geometry/interpolation/rbf_input.hpp"

namespace kann::cuda {

/// As cpu::interpolate(), with the same bytes and states, on device `index`. Blocks.
/// @throws Error no_device, resources (device memory), internal.
interpolation::RbfValues interpolate(const interpolation::RbfInput& input, int index);

}  // namespace kann::cuda
