// Points as steps read them: from the input's rows, or from an order that they were placed in.
#pragma once

#include <cstdint>

#include "cuda/placed_point.hpp"
#include "cuda/shift.hpp"
#include "geometry/grid.hpp"

namespace kann::cuda {

struct PointSource {
  const float* d_points;        ///< row-major
  const PlacedPoint* d_placed;  ///< null: the points are those of d_points
  Grid grid;
};

#ifdef __CUDACC__

template <int D>
__device__ __forceinline__ PlacedPoint point_at(const PointSource& source, std::int64_t i) {
  if (source.d_placed) return source.d_placed[i];
  const float* p = source.d_points + i * D;
  return {p[0], p[1], D == 3 ? p[D - 1] : 0.0f, static_cast<std::uint32_t>(i)};
}

/// All bits of a point's code that the shift compares.
template <int D>
__device__ __forceinline__ std::uint64_t full_key(const PlacedPoint& p, const Grid& grid, const Shift& shift) {
  const float xyz[3] = {p.x, p.y, p.z};
  if (shift.hilbert_levels > 0)
    return hilbert_code<D>(xyz, grid, shift.hilbert_levels) >> (k_hilbert_bits<D> - shift.bits);
  return shifted_code<D>(xyz, grid, shift.cells) >> (k_code_bits<D> - shift.bits);
}

#endif

}  // namespace kann::cuda
