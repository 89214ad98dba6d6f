// Step encode: the keys that points are sorted by, made from the points: 85 instructions each, and no more bytes than a
// stored code would cost. Those of shifts that follow shift 0 are made when its points are placed (place.hpp).
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/key_layout.hpp"
#include "cuda/order/point_source.hpp"

namespace kann::cuda {

/// d_keys[i] = the leading bits of point i of `source` in a shift, then i. Queued on `stream`.
void pack_keys(const PointSource& source, std::int64_t count, const Shift& shift, const KeyLayout& layout,
               std::uint64_t* d_keys, cudaStream_t stream);

/// d_keys[i] = all bits that the shift compares of point d_from[i] (null: i); d_indices[i] = that. d_from may be
/// d_indices. Queued on `stream`.
void full_keys(const PointSource& source, const std::uint32_t* d_from, std::int64_t count, const Shift& shift,
               std::uint64_t* d_keys, std::uint32_t* d_indices, cudaStream_t stream);

/// The same with the bits that crowded_cell.hpp compares: the high or the low halves of each axis, k_within_cell_bits
/// an axis.
inline constexpr int k_within_cell_bits = 16;
void within_cell_keys(const PointSource& source, const std::uint32_t* d_from, std::int64_t count, int dimensions,
                      bool high, std::uint64_t* d_keys, std::uint32_t* d_indices, cudaStream_t stream);

/// d_keys[i] = the leading `bits`, at most 32, of those that unshifted codes of points use; d_indices[i] = i. Queued on
/// `stream`.
void leading_keys(const PointSource& source, std::int64_t count, const Shift& curve, int bits, std::uint32_t* d_keys,
                  std::uint32_t* d_indices, cudaStream_t stream);

/// *d_crowded = how many of the sorted keys are equal to the one k_crowded_query_cell places before. Queued on
/// `stream`.
inline constexpr int k_crowded_query_cell = 8;
void count_in_crowded_cells(const std::uint32_t* d_keys, std::int64_t count, std::uint32_t* d_crowded,
                            cudaStream_t stream);

}  // namespace kann::cuda
