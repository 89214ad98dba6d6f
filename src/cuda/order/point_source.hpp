// The points that a step reads: rows of the input, or points in an order.
#pragma once

#include <cstdint>

#include "cuda/order/shift.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "geometry/grid.hpp"

namespace kann::cuda {

struct PointSource {
  const float* d_points;        ///< row-major
  const PlacedPoint* d_placed;  ///< null if the points are those of d_points
  Grid grid;
  const double* d_given = nullptr;  ///< d_points as they were given, if these are rounded
};

/// Some of the points of a source, in any order.
struct PointSequence {
  PointSource source;
  const std::uint32_t* d_from;  ///< the i-th point is point d_from[i] of the source, or point i if this is null
};

#ifdef __CUDACC__

/// Point i of a source or a sequence. Called by one thread.

template <int D>
__device__ __forceinline__ PlacedPoint point_at(const PointSource& source, std::int64_t i) {
  if (source.d_placed) return source.d_placed[i];
  const float* const d_row = source.d_points + i * D;
  return {d_row[0], d_row[1], D == 3 ? d_row[D - 1] : 0.0f, static_cast<std::uint32_t>(i)};
}

template <int D>
__device__ __forceinline__ PlacedPoint point_at(const PointSequence& sequence, std::int64_t i) {
  return point_at<D>(sequence.source, sequence.d_from ? sequence.d_from[i] : i);
}

#endif

}  // namespace kann::cuda
