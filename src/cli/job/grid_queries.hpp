// The queries of --grid: the centres of cells over the data.
#pragma once

#include <vector>

#include "kann/attributes.hpp"
#include "kann/points.hpp"
#include "kann/query_grid.hpp"

#include "cli/options/options.hpp"

namespace kann::cli {

/// The grid of --grid. Blocks. @throws Error as grid_over(), with the names of the data and of the option.
QueryGrid grid_of(const Options& options, const Points& data, int threads);

/// Its cell_centers(), likewise. Before memory is taken for them, checks that it holds the search, too.
Points centers_of(const Options& options, const QueryGrid& grid, int threads);

/// The arrays of an .npz that place its cells: grid_shape, grid_origin and grid_step.
std::vector<Attribute> grid_arrays(const QueryGrid& grid);

}  // namespace kann::cli
