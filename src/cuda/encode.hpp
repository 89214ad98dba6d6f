// Step encode: Morton codes of points, and the sort keys of a shift.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/shift.hpp"
#include "geometry/grid.hpp"

namespace kann::cuda {

/// d_codes[i] = unshifted Morton code of point i of the row-major d_points (count × dimensions). Queued on `stream`.
void encode(const float* d_points, std::int64_t count, int dimensions, const Grid& grid, std::uint64_t* d_codes,
            cudaStream_t stream);

/// d_keys[i] = the key of d_codes[i] in a shift; d_indices[i] = i. Queued on `stream`.
void shift_keys(const std::uint64_t* d_codes, std::int64_t count, const Shift& shift, std::uint64_t* d_keys,
                std::uint32_t* d_indices, cudaStream_t stream);

}  // namespace kann::cuda
