// CUDA's error codes as kann::Error. Every call whose failure matters and every launch in src/cuda goes through these
// two functions.
#pragma once

#include <cuda_runtime_api.h>

namespace kann::cuda {

/// Throws unless `status` is cudaSuccess. `what` names the call or the kernel in the message.
/// @throws Error resources (out of memory), no_device (no device, driver or code for it), internal (all else).
void check(cudaError_t status, const char* what);

/// Checks the launch just made. Errors inside the kernel surface at the next synchronising call.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace kann::cuda
