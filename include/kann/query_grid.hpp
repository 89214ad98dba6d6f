// A regular grid over a cloud. The centres of its cells are queries; with transfer(), they give a raster of the data.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kann/points.hpp"

namespace kann {

/// Squares, in 3-D cubes, of side `step`. Along each axis, cell i reaches from i · step to (i + 1) · step, whatever the
/// data are, so that the cells of neighbouring grids of one step coincide.
struct QueryGrid {
  int dimensions = 2;                      ///< 2 or 3
  double step = 1;                         ///< in the unit of the coordinates
  std::array<std::int64_t, 3> first = {};  ///< the lowest cell number i along x, y and, in 3-D, z
  std::array<std::int64_t, 3> cells = {};  ///< the number of cells along these axes

  /// Number of cells.
  std::int64_t size() const;

  /// Rows (along y) and columns (along x); in 3-D, layers (along z) before them. An array with a value per cell, in the
  /// order of cell_centers(), has this shape.
  std::vector<std::int64_t> shape() const;

  /// x of the west edge, y of the north edge and, in 3-D, z of the lowest face. Zeros if the grid has no cells.
  std::vector<double> origin() const;
};

/// The smallest grid of `step` that holds all points with finite coordinates; without such points, it has no cells. A
/// point is in cell floor(x / step) along x, with the quotient in float64, and so along y and z. Blocks.
/// @param threads 0: all of the machine
/// @throws Error usage: `step` is not positive, finite and normal, the grid has more than 2³¹ − 1 cells, `step` is so
///         small beside the coordinates that float64 places centres with an error of more than a thousandth of it, or
///         so large that centres are too far from the data for a search (10¹⁵³); bad_input: `points` are neither 2-D
///         nor 3-D.
QueryGrid grid_over(const PointsView& points, double step, int threads = 0);

/// The centres ((i + 0.5) · step along each axis, float64) of all cells, as rasters have them: x runs fastest, from
/// west to east, then y, from north to south, in 3-D then z, upwards. Blocks.
/// @throws Error usage (no grid of at most 2³¹ − 1 cells in 2-D or 3-D), resources (host memory); std::bad_alloc.
Points cell_centers(const QueryGrid& grid, int threads = 0);

/// The centres of cells `first` to `first + count − 1`. Blocks. @throws as cell_centers(); usage: no such cells.
Points cell_centers(const QueryGrid& grid, std::int64_t first, std::int64_t count, int threads = 0);

}  // namespace kann
