// The CUDA backend, as search.cpp sees it. Without nvcc, no_cuda.cpp stands behind it.
#pragma once

#include "problem.hpp"

namespace kann::cuda {

/// Whether device `index` can run this build's code. Creates its context, which takes some 0.2 s the first time.
CudaStatus status(int index);

/// The most neighbours a query can ask of the kernels, when the data has as many points.
std::int64_t most_neighbors();

/// Solves the problem on device `index`; the same bytes as cpu::solve. Blocks.
/// @throws Error no_device, resources (device memory), usage (k past what the kernels take), internal.
Answer solve(const Problem& problem, int index);

}  // namespace kann::cuda
