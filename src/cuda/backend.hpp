// The CUDA backend, as search.cpp sees it. Without nvcc, no_cuda.cpp stands behind it.
#pragma once

#include <memory>

#include "cuda/names.hpp"
#include "problem/problem.hpp"

namespace kann::cuda {

class Staging;  // device/transfer.hpp

/// Whether device `index` can run this build's code. Creates its context, which takes some 0.2 s the first time.
CudaStatus status(int index);

/// The most neighbours a query can ask of the kernels, when the data has as many points.
std::int64_t max_neighbors();

/// Pinned buffers for the transfers of device `index`, or null where it gives none. Blocks; some 5 ms.
std::shared_ptr<Staging> make_staging(int index);

/// What a search need not wait for if it was made before.
struct Prewarmed {
  std::shared_ptr<Staging> staging;  ///< of the same device
  Neighbors result;                  ///< arrays of the answer's size, whose content does not matter
};

/// Solves the problem on device `index`; the same bytes as cpu::solve. Blocks.
/// @throws Error no_device, resources (device memory), usage (k past what the kernels take), internal.
Answer solve(const Problem& problem, int index, Prewarmed prewarmed = {});

}  // namespace kann::cuda
