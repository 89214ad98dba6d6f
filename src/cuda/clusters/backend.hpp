// Clusters on a GPU. Without nvcc, no_cuda.cpp implements it.
#pragma once

#include <memory>

#include "problem/cluster_device.hpp"

namespace kann::cuda {

/// Clusters on device `index`, which is usable. All that it does blocks.
/// @param is_float64 whether coordinates are float64s; else, all are float32s
/// @throws Error resources (device memory), internal; so do its functions.
std::unique_ptr<problem::ClusterDevice> cluster_device(const problem::ClusterRule& rule, bool is_float64, int index);

}  // namespace kann::cuda
