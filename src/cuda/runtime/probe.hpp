// Whether this build holds code for the current device.
#pragma once

#include <cuda_runtime_api.h>

namespace kann::cuda {

/// cudaSuccess, or why no kernel of this build can run on the current device. Creates the device's context.
cudaError_t probe_kernels();

}  // namespace kann::cuda
