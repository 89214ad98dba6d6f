// Step sort, its second half: points fetched into the order that their sorted keys tell.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/key_layout.hpp"
#include "cuda/order/order_report.hpp"
#include "cuda/order/point_source.hpp"

namespace kann::cuda {

/// If more points of shift 0 than these share k_coarse_bits, coarse bits are not enough. The kernels here put longer
/// runs in order, since the cells of later shifts lie differently.
inline constexpr int k_long_coarse_run = 24;

/// Shifts that are ordered next, from this order: their keys are made while a point is at hand, for 8 bytes each and
/// not the 16 of fetching it again.
inline constexpr int k_max_later_shifts = 2;
struct LaterKeys {
  int count;
  std::uint64_t shift_codes[k_max_later_shifts];
  int prefix_bits[k_max_later_shifts];        ///< of their codes, that a key has
  std::uint64_t* d_keys[k_max_later_shifts];  ///< their payload is the place in this order
};

/// Keys in the order of their layout's sorted bits, and what is to be made of them.
struct Placing {
  const std::uint64_t* d_keys;
  std::int64_t count;
  Shift shift;
  KeyLayout layout;
  PointSource source;
  PlacedPoint* d_placed;         ///< the points that the payloads name; their index is the payload
  std::uint64_t* d_placed_keys;  ///< the keys in the order of the points; null where d_keys are
  LaterKeys later;               ///< of a Morton curve only
  bool reports_runs;             ///< whether the report is to tell of coarse bits
  OrderReport* d_report;
};

/// Places points, those of a run in the order of (all compared bits, fine order on fine curves, index). Where more than
/// 32 are a run and not in that order as they stand, the report says unsettled. Queued on `stream`.
void place_packed(const Placing& placing, cudaStream_t stream);

/// d_placed[i] = point d_indices[i] of `source`, its index likewise. Queued on `stream`.
void place_indices(const std::uint32_t* d_indices, std::int64_t count, int dimensions, const PointSource& source,
                   PlacedPoint* d_placed, cudaStream_t stream);

/// Reports unsettled where many points of equal keys, those of one cell, are not in fine order. Queued on `stream`.
void check_crowded_cells(const std::uint64_t* d_keys, std::int64_t count, int dimensions, const PlacedPoint* d_placed,
                         OrderReport* d_report, cudaStream_t stream);

}  // namespace kann::cuda
