// Step encode: the keys that points are sorted by. Codes are made anew from the points in every shift: 40 instructions
// a point, and no more bytes than a stored code would cost.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/key_layout.hpp"
#include "cuda/point_source.hpp"

namespace kann::cuda {

/// d_keys[i] = the leading bits of point i of `source` in a shift, then i. Queued on `stream`.
void pack_keys(const PointSource& source, std::int64_t count, const Shift& shift, const KeyLayout& layout,
               std::uint64_t* d_keys, cudaStream_t stream);

/// d_keys[i] = all bits of point i that the shift compares; d_indices[i] = i. Queued on `stream`.
void full_keys(const PointSource& source, std::int64_t count, const Shift& shift, std::uint64_t* d_keys,
               std::uint32_t* d_indices, cudaStream_t stream);

/// d_keys[i] = the leading `bits`, at most 32, of those that unshifted codes of points use; d_indices[i] = i. Queued on
/// `stream`.
void leading_keys(const PointSource& source, std::int64_t count, const Shift& curve, int bits, std::uint32_t* d_keys,
                  std::uint32_t* d_indices, cudaStream_t stream);

/// *d_crowded = how many of the sorted keys are equal to the one k_crowd places before. Queued on `stream`.
inline constexpr int k_crowd = 8;
void count_crowded(const std::uint32_t* d_keys, std::int64_t count, std::uint32_t* d_crowded, cudaStream_t stream);

}  // namespace kann::cuda
