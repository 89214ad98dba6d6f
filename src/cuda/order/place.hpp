// Step sort, second half: the points are written in the order of their sorted keys.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "cuda/order/key_layout.hpp"
#include "cuda/order/order_report.hpp"
#include "cuda/order/point_source.hpp"

namespace kann::cuda {

/// If more points of shift 0 than this share k_coarse_bits, later shifts are not sorted by coarse bits. The kernels
/// here put longer runs in order, as the cells of later shifts lie elsewhere and may hold more points.
inline constexpr int k_long_coarse_run = 24;

/// The shifts that are ordered next, from this order. Their keys are computed while the point is in registers: 8 bytes
/// are written per key, and the 16 bytes of the point need not be read again.
inline constexpr int k_max_later_shifts = 2;
struct LaterKeys {
  int count;
  std::uint64_t shift_codes[k_max_later_shifts];
  int prefix_bits[k_max_later_shifts];        ///< the number of leading bits of a code in its key
  std::uint64_t* d_keys[k_max_later_shifts];  ///< their payload is the place in this order
};

/// The input of place_packed(), keys in the order of their layout's sorted bits, and its outputs.
struct Placing {
  const std::uint64_t* d_keys;
  std::int64_t count;
  Shift shift;
  KeyLayout layout;
  PointSource source;
  PlacedPoint* d_placed;         ///< output: point `payload` of the source for each key; its index is the payload
  std::uint64_t* d_placed_keys;  ///< output: the keys in the order of the points; null if d_keys has that order
  LaterKeys later;               ///< on a Morton curve only
  bool reports_runs;             ///< whether coarse runs are reported; only with keys of later shifts
  OrderReport* d_report;
};

/// Writes the points in the order of (all compared bits, the order of crowded_cell.hpp on the Hilbert curve, payload).
/// A run of more than 64 points is written as it is; if it is not in that order, the report says incomplete. Queued on
/// `stream`.
void place_packed(const Placing& placing, cudaStream_t stream);

/// d_placed[i] = point d_indices[i] of `source`, and d_indices[i] is its index. Queued on `stream`.
void place_indices(const std::uint32_t* d_indices, std::int64_t count, int dimensions, const PointSource& source,
                   PlacedPoint* d_placed, cudaStream_t stream);

/// Reports incomplete if more than 128 points of a cell, which have equal keys, are not in the order that
/// crowded_cell.hpp defines for the points as they were given. d_given: these points, row-major, by PlacedPoint::index;
/// null if those of d_placed are as they were given. Queued on `stream`.
void check_crowded_cells(const std::uint64_t* d_keys, std::int64_t count, int dimensions, const PlacedPoint* d_placed,
                         const double* d_given, OrderReport* d_report, cudaStream_t stream);

/// d_placed_given[i] = the point of d_placed[i] as it was given, from row-major rows. Queued on `stream`.
void place_given(const double* d_given, const PlacedPoint* d_placed, std::int64_t count, int dimensions,
                 GivenPoint* d_placed_given, cudaStream_t stream);

}  // namespace kann::cuda
