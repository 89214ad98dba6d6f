// Many points in one cell of the grid: in the order of their index, every box of them would lie over every other.
#pragma once

#include "cpu/workspace.hpp"

namespace kann::cpu {

/// Puts points whose codes are the same, and which lie side by side, in an order in which near ones are near. Blocks.
template <int D>
void order_crowded_cells(OrderedCloud<D>& cloud, int threads);

/// Bytes that this takes meanwhile, a point, where all points are one crowd.
inline constexpr double k_crowded_cell_bytes_per_point = 24;

/// Where a rank is the end of a crowd, puts the query's place in the crowd instead. Blocks.
template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const OrderedCloud<D>& data, Array<std::uint32_t>& ranks,
                               int threads);

}  // namespace kann::cpu
