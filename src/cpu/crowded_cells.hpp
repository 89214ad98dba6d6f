// Cells of the grid that hold many points: in the order of their index, all boxes of such points would overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/array.hpp"

#include "cpu/fine_grid.hpp"
#include "cpu/order.hpp"

namespace kann::cpu {

struct CrowdedCell {
  std::int64_t begin, end;  ///< places
};

/// The order of the float64 points in crowded cells.
template <int D>
struct FineOrder {
  std::vector<CrowdedCell> cells;  ///< in the order of their places
  std::vector<FineGrid<D>> grids;  ///< of each cell
  Array<std::uint64_t> codes;      ///< of the points in these cells, place by place
};

/// In the order of their places. Codes ascend. Blocks.
template <int D>
std::vector<CrowdedCell> find_crowded_cells(const OrderedCloud<D>& cloud, int threads);

/// Orders the points of every crowded cell, which are adjacent and have equal codes, so that near points are near each
/// other (geometry/crowded_cell.hpp). Blocks.
template <int D>
void order_crowded_cells(OrderedCloud<D>& cloud, int threads);

/// The same by row-major float64 coordinates, as they were given.
template <int D>
FineOrder<D> order_crowded_cells(OrderedCloud<D>& cloud, const double* given, int threads);

/// Temporary bytes per point where all points share one cell.
inline constexpr double k_crowded_cell_bytes_per_point = 36;

/// Bytes per point of a FineOrder.
inline constexpr double k_fine_order_bytes_per_point = 8;

/// Where a rank is the end of a crowded cell, replaces it by the query's place in the order of that cell. Blocks.
template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const OrderedCloud<D>& data, Array<std::uint32_t>& ranks,
                               int threads);
template <int D>
void rank_within_crowded_cells(const OrderedCloud<D>& queries, const double* given_queries, const OrderedCloud<D>& data,
                               const double* given_data, const FineOrder<D>& fine, Array<std::uint32_t>& ranks,
                               int threads);

}  // namespace kann::cpu
