// Cells of the grid that hold many points. If these were in the order of their index, all of their boxes would overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/array.hpp"

#include "cpu/order/fine_tree.hpp"
#include "cpu/order/order.hpp"

namespace kann::cpu {

struct CrowdedCell {
  std::int64_t begin, end;  ///< its points are at places [begin, end)
};

/// The order of the points in crowded cells.
struct FineOrder {
  std::vector<CrowdedCell> cells;  ///< in the order of their places
  bool is_of_all = false;          ///< one cell has all points, which are not in the order of their codes
  std::vector<FineSplit> splits;   ///< nodes of the cells' trees, each at the bucket that its second half begins with
};

/// The crowded cells of a cloud, in the order of their places. The codes of the cloud must ascend. Blocks.
template <int D>
std::vector<CrowdedCell> find_crowded_cells(const OrderedCloud<D>& cloud, int threads);

/// Orders the points of every crowded cell, which are adjacent and have equal codes, so that near points are near each
/// other (cpu/order/fine_tree.hpp). Where a few cells have more than a quarter of all points, no grid serves the cloud,
/// and all points are ordered like those of one cell. Blocks. @throws Error resources: too little memory for that.
/// @param given row-major float64 coordinates, as they were given, which decide the order; null: the float32s decide it
template <int D>
FineOrder order_crowded_cells(OrderedCloud<D>& cloud, const double* given, int threads);

/// Bytes per point of a FineOrder.
inline constexpr double k_fine_order_bytes_per_point =
    static_cast<double>(sizeof(FineSplit) + sizeof(CrowdedCell) / 2) / k_group;

/// Where a rank is the end of a crowded cell, replaces it by the query's place in the order of that cell. If one cell
/// has all points, no rank has to be set before. Blocks.
template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const double* given, const OrderedCloud<D>& data,
                               const FineOrder& fine, Array<std::uint32_t>& ranks, int threads);

}  // namespace kann::cpu
