// Cells of the grid that hold many points: in the order of their index, all boxes of such points would overlap.
#pragma once

#include "cpu/workspace.hpp"

namespace kann::cpu {

/// Orders the points of every crowded cell, which are adjacent and have equal codes, so that near points are near each
/// other (crowded_cell.hpp). Blocks.
template <int D>
void order_crowded_cells(OrderedCloud<D>& cloud, int threads);

/// Temporary bytes per point where all points share one cell.
inline constexpr double k_crowded_cell_bytes_per_point = 24;

/// Where a rank is the end of a crowded cell, replaces it by the query's place in the order of that cell. Blocks.
template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const OrderedCloud<D>& data, Array<std::uint32_t>& ranks,
                               int threads);

}  // namespace kann::cpu
