// The queries of --grid: the centres of cells over the data.
#pragma once

#include <vector>

#include "kann/attributes.hpp"
#include "kann/points.hpp"
#include "kann/query_grid.hpp"

#include "cli/options/options.hpp"

namespace kann::cli {

/// The grid of --grid over the data. Blocks. @throws Error as grid_over(), with the names of the data and of the
/// option.
QueryGrid grid_of(const Options& options, const Points& data, int threads);

/// Refuses a grid if memory does not suffice for its cells and for the search of them. @throws Error resources, with
/// the names of the data and of the option.
void check_cells_fit(const Options& options, const QueryGrid& grid);

/// The cell_centers() of the grid. Before it allocates them, checks that memory also suffices for the search. Blocks.
/// @throws as grid_of().
Points centers_of(const Options& options, const QueryGrid& grid, int threads);

/// The arrays of an .npz that say where the cells are: grid_shape, grid_origin and grid_step.
std::vector<Attribute> grid_arrays(const QueryGrid& grid);

}  // namespace kann::cli
