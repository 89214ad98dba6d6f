// The interface of the CUDA backend. Without nvcc, no_cuda.cpp implements it.
#pragma once

#include <memory>

#include "cuda/runtime/names.hpp"
#include "problem/problem.hpp"

namespace kann::cuda {

class Staging;  // runtime/transfer.hpp

/// Whether device `index` can run this build's code. Creates its context, which takes some 0.2 s the first time.
CudaStatus status(int index);

/// Pinned buffers for the transfers of device `index`; null if the device cannot be used. Blocks, for some 5 ms.
std::shared_ptr<Staging> make_staging(int index);

/// Parts of a search that can be made ahead of it.
struct Prewarmed {
  std::shared_ptr<Staging> staging;  ///< of the same device
  Neighbors result;                  ///< arrays of the answer's size, whose content does not matter
};

/// Solves the problem on device `index`; the same bytes as cpu::solve. Blocks.
/// @throws Error no_device, resources (device memory), internal.
Answer solve(const Problem& problem, int index, Prewarmed prewarmed = {});

}  // namespace kann::cuda
