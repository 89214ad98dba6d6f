// The exact search in cells, and whether a search is to be made in cells.
#pragma once

#include <optional>

#include "cuda/exact/cells/cell_order.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

/// The longest list that is searched for in cells.
inline constexpr std::int64_t k_max_cell_list = 16;

/// Cells for the data of a problem, of a size that suits data that fill their box evenly; the search in them is right
/// for any data. None if the box has no volume, or float32 does not resolve the cells.
std::optional<CellGrid> cells_over(const Problem& p);

/// As cells_over(), but only if the search in cells is likely to be faster than others: if lists are short, and the
/// data are many and fill their box evenly, as far as a sample tells.
std::optional<CellGrid> plan_cells(const Problem& p);

/// Writes the rows of all queries, as run_exact(), or returns false if that would take longer than another search:
/// where more than an eighth of the queries have no row in a ball of the grid's radius, it ends early. Timed; blocks.
/// @param grid the result of cells_over()
template <class Real>
bool search_cells(SearchContext& context, const CellGrid& grid);

}  // namespace kann::cuda::exact
