// An order of points in which neighbours in space are mostly near each other in memory. It changes no result: a k-d
// tree over points in such an order, queried in such an order, takes half the time.
#pragma once

#include <cstdint>

#include "kann/array.hpp"

#include "products/accuracy/coordinates.hpp"

namespace kann::accuracy {

/// The cell of a point in the upper bits, and its row number in the lower bits.
using CellRow = std::uint64_t;
inline constexpr int k_row_bits = 34;
inline std::int64_t row_of(CellRow row) { return static_cast<std::int64_t>(row & ((CellRow{1} << k_row_bits) - 1)); }
inline CellRow cell_of(CellRow row) { return row >> k_row_bits; }

/// All `count` rows, at most 2³⁴, sorted by (cell, row). The box `extent` is divided into 2³⁰ cells, numbered in Morton
/// order. Equal points are in the same cell, invalid points in the last one. Blocks. @throws std::bad_alloc.
Array<CellRow> rows_by_cell(const Coordinates& points, std::int64_t count, const Extent& extent, int threads);

}  // namespace kann::accuracy
