#include "products/accuracy/spatial_order.hpp"

#include <algorithm>

#include "base/threads/parallel.hpp"

namespace kann::accuracy {

Array<CellRow> rows_by_cell(const Coordinates& points, std::int64_t count, const Extent& extent, int threads) {
  const int d = points.dimensions(), bits = 30 / d;
  const double side = width(extent, d), cells = static_cast<double>(1 << bits);
  const auto cell = [&](std::int64_t i) {
    if (!points.is_finite(i)) return (CellRow{1} << 30) - 1;
    CellRow code = 0;
    for (int a = 0; a < d; ++a) {
      const double place = side > 0 ? (points.at(i, a) - extent.lo[a]) / side * cells : 0;
      const auto index = static_cast<CellRow>(std::clamp(place, 0.0, cells - 1));
      for (int b = 0; b < bits; ++b) code |= (index >> b & 1) << (b * d + a);
    }
    return code;
  };
  Array<CellRow> rows(static_cast<std::size_t>(count));
  base::parallel_for(count, threads,
                     [&](std::int64_t i) { rows[i] = cell(i) << k_row_bits | static_cast<CellRow>(i); });
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace kann::accuracy
