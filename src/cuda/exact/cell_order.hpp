// Cells over data that fill a box evenly, and the data in the order of the cells. A row of cells runs along x. Its
// cells are short, so that the cells that a ball meets hold few points outside of it; and its points are contiguous, so
// that those of the cells that a ball meets are a single range.
#pragma once

#include <cmath>
#include <cstdint>

#include "cuda/exact/box_tree.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/names.hpp"
#include "cuda/runtime/placed_point.hpp"
#include "cuda/runtime/search_context.hpp"
#include "geometry/host_device.hpp"

namespace kann::cuda::exact {

struct CellGrid {
  float lo[3];            ///< the corner of the box of the data
  float inv[3];           ///< cells per unit of length; those of y and z are equal
  float sides[3];         ///< of the box of the data, in cells
  float x_per_y;          ///< the length of a cell along y in cells along x, rounded up
  int cells[3];           ///< z: 1 in 2-D
  float slack[3];         ///< in cells: more than twice the error of a place() by rounding
  float points_per_cell;  ///< the mean
  float radius;           ///< of a ball in which nearly all queries of a search have enough neighbours
  int staged;             ///< the points that nearly all teams stage, if there is a query per data point

  /// Where a point is along an axis, in cells from the corner. This is monotone in x; for a point of the data, its
  /// relative error is 2⁻²².
  KANN_HOST_DEVICE float place(float x, int axis) const { return (x - lo[axis]) * inv[axis]; }

  /// The number of a point's cell along an axis; for a point outside of the box, the nearest cell.
  KANN_HOST_DEVICE int cell(float x, int axis) const {
    return static_cast<int>(fminf(fmaxf(place(x, axis), 0.0f), static_cast<float>(cells[axis] - 1)));
  }
  KANN_HOST_DEVICE std::uint32_t cell_of(const PlacedPoint& p) const {
    return (static_cast<std::uint32_t>(cell(p.z, 2)) * cells[1] + cell(p.y, 1)) * cells[0] + cell(p.x, 0);
  }
  /// The distance from a place to the box of the data, but for rounding.
  template <class Place>
  KANN_HOST_DEVICE float distance_to(const Place& p) const {
    const float places[3] = {place(p.x, 0), place(p.y, 1), place(p.z, 2)};
    float sq_distance = 0;
    for (int a = 0; a < 3; ++a) {
      const float outside = fmaxf(fmaxf(-places[a], places[a] - sides[a]), 0.0f) / inv[a];
      sq_distance += outside * outside;
    }
    return sqrtf(sq_distance);
  }
  std::int64_t count() const { return std::int64_t{cells[0]} * cells[1] * cells[2]; }
};

/// Points in cells, as kernels read them.
struct Cells {
  CellGrid grid;
  const std::uint32_t* d_begins;  ///< the place of the first point of each cell; at the end, the number of points
};

/// The data of a search in the order of their cells, in any order within a cell. Real is the type of the coordinates as
/// they were given.
template <class Real>
class DataInCells {
 public:
  /// Queues the work on the context's stream, and times it. Allocates 16 bytes per point and 4 per cell, another 16 per
  /// point until it returns, and 32 more if Real is double.
  DataInCells(SearchContext& context, const CellGrid& grid);

  Cells cells() const { return {grid_, begins_.data()}; }
  /// The points, without boxes.
  BoxTreeView<Real> points() const;

 private:
  CellGrid grid_;
  Buffer<std::uint32_t> begins_;
  Buffer<PlacedPoint> placed_;
  Buffer<GivenPoint> given_;  // only if Real is double
};

}  // namespace kann::cuda::exact
