// Step encode: the keys that points are sorted by, computed from the points. A key takes 85 instructions, and reading
// the point moves no more bytes than reading a stored code would. The keys of up to two shifts after shift 0 are
// computed when the points of shift 0 are placed (place.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/key_layout.hpp"
#include "cuda/order/point_source.hpp"

namespace kann::cuda {

/// d_keys[i] = layout.prefix_bits leading bits of the code of point i of `source` in the shift, then
/// layout.payload_bits that are i. Queued on `stream`. Prefix 0b101 and i = 2 of 4 points give 0b101'10.
void pack_keys(const PointSource& source, std::int64_t count, const Shift& shift, const KeyLayout& layout,
               std::uint64_t* d_keys, cudaStream_t stream);

/// d_indices[i] = d_from[i], or i if d_from is null; d_keys[i] = all bits that the shift compares in the code of that
/// point. d_from may be d_indices. Queued on `stream`.
void full_keys(const PointSource& source, const std::uint32_t* d_from, std::int64_t count, const Shift& shift,
               std::uint64_t* d_keys, std::uint32_t* d_indices, cudaStream_t stream);

/// d_keys[i] = the leading `bits` (≤ 32) of the code of point i on an unshifted curve, after the unused bits;
/// d_indices[i] = i. Queued on `stream`.
void leading_keys(const PointSource& source, std::int64_t count, const Shift& curve, int bits, std::uint32_t* d_keys,
                  std::uint32_t* d_indices, cudaStream_t stream);

}  // namespace kann::cuda
