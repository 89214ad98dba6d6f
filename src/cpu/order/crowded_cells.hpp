// Cells of the grid that hold many points: in the order of their index, all boxes of such points would overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/array.hpp"

#include "cpu/order/fine_tree.hpp"
#include "cpu/order/order.hpp"

namespace kann::cpu {

struct CrowdedCell {
  std::int64_t begin, end;  ///< places
};

/// The order of the points in crowded cells.
struct FineOrder {
  std::vector<CrowdedCell> cells;  ///< in the order of their places
  bool is_of_all = false;          ///< there is one cell, of all points: they are not in the order of their codes
  std::vector<FineSplit> splits;   ///< the nodes of their trees, by the bucket that each begins its second half with
};

/// In the order of their places. Codes ascend. Blocks.
template <int D>
std::vector<CrowdedCell> find_crowded_cells(const OrderedCloud<D>& cloud, int threads);

/// Orders the points of every crowded cell, which are adjacent and have equal codes, so that near points are near each
/// other (cpu/fine_tree.hpp). Where a few cells have more than a quarter of all points, no grid serves the cloud,
/// and all are ordered as those of one cell. Blocks.
/// @param given row-major float64 coordinates, as they were given, by which they are ordered; null: their float32s
template <int D>
FineOrder order_crowded_cells(OrderedCloud<D>& cloud, const double* given, int threads);

/// Temporary bytes per point where all points share one cell.
inline constexpr double k_crowded_cell_bytes_per_point = 36;

/// Bytes per point of a FineOrder.
inline constexpr double k_fine_order_bytes_per_point =
    static_cast<double>(sizeof(FineSplit) + sizeof(CrowdedCell) / 2) / k_group;

/// Where a rank is the end of a crowded cell, replaces it by the query's place in the order of that cell. If there is
/// one of all points, no rank has to be set before. Blocks.
template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const double* given, const OrderedCloud<D>& data,
                               const FineOrder& fine, Array<std::uint32_t>& ranks, int threads);

}  // namespace kann::cpu
