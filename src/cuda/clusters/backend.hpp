// Clusters on a GPU. Without nvcc, no_cuda.cpp implements it.
#pragma once

#include <memory>

#include "problem/cluster_device.hpp"

namespace kann::cuda {

class Staging;  // runtime/transfer.hpp

/// Clusters on device `index`, which is usable. All that it does blocks.
/// @param is_float64 whether coordinates are float64s; else, all are float32s
/// @param staging of the device; may be null
/// @throws Error resources (device memory), internal; so do its functions.
std::unique_ptr<problem::ClusterDevice> cluster_device(const problem::ClusterRule& rule, bool is_float64, int index,
                                                       std::shared_ptr<Staging> staging);

}  // namespace kann::cuda
