// Step sort, its second half: points fetched into the order that their sorted keys tell.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/key_layout.hpp"
#include "cuda/point_source.hpp"

namespace kann::cuda {

/// d_placed[i] = the point of `source` that the payload of the i-th of the sorted keys names; its index is the payload.
/// Points of equal prefixes
/// are put in the order of (all compared bits, fine order on fine curves, index) on the way; where more than 32 have
/// one and are not in that order as they stand, *d_unsettled is set, and the order is to be made anew by full keys.
/// Queued on `stream`.
void place_packed(const std::uint64_t* d_keys, std::int64_t count, const Shift& shift, const KeyLayout& layout,
                  const PointSource& source, PlacedPoint* d_placed, std::uint32_t* d_unsettled, cudaStream_t stream);

/// d_placed[i] = point d_indices[i] of `source`, its index likewise. Queued on `stream`.
void place_indices(const std::uint32_t* d_indices, std::int64_t count, int dimensions, const PointSource& source,
                   PlacedPoint* d_placed, cudaStream_t stream);

/// Sets *d_unsettled where many points of equal keys, those of one cell, are not in fine order. Queued on `stream`.
void check_cells(const std::uint64_t* d_keys, std::int64_t count, int dimensions, const PlacedPoint* d_placed,
                 std::uint32_t* d_unsettled, cudaStream_t stream);

}  // namespace kann::cuda
