// Cells over data that fill a box evenly, and the data in their order. A row of cells runs along x; its cells are
// short, so that a ball meets few points beside it, and its points follow each other, so that one range of them holds
// all of a row that a ball meets.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/order/point_source.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda::exact {

struct CellGrid {
  float lo[3];     ///< the corner of the box of the data
  float inv[3];    ///< cells per unit of length; those of y and z are equal
  float x_per_y;   ///< cells along x to one along y, rounded up
  int cells[3];    ///< z: 1 in 2-D
  float slack[3];  ///< in cells: more than twice what rounding moves a place() by
  float radius;    ///< of a ball in which nearly all queries have enough neighbours

  /// Where a point is, in cells from the corner. A point of the data is off by 2⁻²² of it, which is monotone in x.
  KANN_HOST_DEVICE float place(float x, int axis) const { return (x - lo[axis]) * inv[axis]; }

  /// The number of the cell of a point along an axis; that of one outside of the box is the nearest.
  KANN_HOST_DEVICE int cell(float x, int axis) const {
    return static_cast<int>(fminf(fmaxf(place(x, axis), 0.0f), static_cast<float>(cells[axis] - 1)));
  }
  KANN_HOST_DEVICE std::uint32_t cell_of(const PlacedPoint& p) const {
    return (static_cast<std::uint32_t>(cell(p.z, 2)) * cells[1] + cell(p.y, 1)) * cells[0] + cell(p.x, 0);
  }
  std::int64_t count() const { return std::int64_t{cells[0]} * cells[1] * cells[2]; }
};

/// Points in cells, as kernels read them.
struct Cells {
  CellGrid grid;
  const std::uint32_t* d_begins;  ///< the place of the first point of each cell, and the number of points
};

/// Readers may run past the end of the points by so many.
inline constexpr int k_points_past_end = 8;

/// The points of a source in the order of their cells, in any order within a cell.
class CellOrder {
 public:
  /// Allocates 16 bytes per point and 4 per cell, and as many per point until it returns; queues the work.
  CellOrder(Pool& pool, const PointSource& source, std::int64_t count, int dimensions, const CellGrid& grid);

  Cells cells() const { return {grid_, begins_.data()}; }
  const PlacedPoint* d_placed() const { return placed_.data(); }

 private:
  CellGrid grid_;
  Buffer<std::uint32_t> begins_;
  Buffer<PlacedPoint> placed_;
};

}  // namespace kann::cuda::exact
