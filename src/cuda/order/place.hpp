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
  LaterKeys later;
  bool reports_runs;  ///< whether coarse runs are reported; only with keys of later shifts
  OrderReport* d_report;
};

/// Writes the points in the order of (all compared bits, payload), on a Morton curve. A run of more than 64 points is
/// written as it is; if it is not in that order, the report says incomplete. Queued on `stream`.
void place_packed(const Placing& placing, cudaStream_t stream);

/// d_placed[i] = point d_indices[i] of `source`, and d_indices[i] is its index. Queued on `stream`.
void place_indices(const std::uint32_t* d_indices, std::int64_t count, int dimensions, const PointSource& source,
                   PlacedPoint* d_placed, cudaStream_t stream);

/// Points whose run is longer than this are crowded: their boxes overlap. (A leaf of the k-d tree has as many.)
inline constexpr int k_crowd = 32;
/// Queries among more points than this that share k_coarse_bits are sorted by more of them.
inline constexpr int k_coarse_crowd = 8;
/// A run of more points that are not all at one place is reported as incomplete.
inline constexpr int k_long_crowd = 1024;

/// As place_indices(), of rows along a curve, with the report on it. Keys ascend; from key_bit on, they are the bits of
/// codes that `curve` compares. d_indices may be null: then they are the bits before key_bit. Queued on `stream`.
void place_along_curve(const std::uint64_t* d_keys, int key_bit, const std::uint32_t* d_indices, std::int64_t count,
                       const Shift& curve, const PointSource& source, PlacedPoint* d_placed, OrderReport* d_report,
                       cudaStream_t stream);

/// d_rows[i] = the `payload_bits` low bits of d_keys[i]. Queued on `stream`.
void unpack_rows(const std::uint64_t* d_keys, int payload_bits, std::int64_t count, std::uint32_t* d_rows,
                 cudaStream_t stream);

/// d_placed_given[i] = the point of d_placed[i] as it was given, from row-major rows. Queued on `stream`.
void place_given(const double* d_given, const PlacedPoint* d_placed, std::int64_t count, int dimensions,
                 GivenPoint* d_placed_given, cudaStream_t stream);

}  // namespace kann::cuda
