#include "products/accuracy/distinct_points.hpp"

#include <algorithm>
#include <array>

#include "products/accuracy/spatial_order.hpp"

namespace kann::accuracy {

DistinctPoints distinct_points(const Coordinates& points, std::int64_t count, const Extent& extent, int threads) {
  Array<CellRow> rows = rows_by_cell(points, count, extent, threads);
  std::erase_if(rows, [&](CellRow row) { return !points.is_finite(row_of(row)); });

  const int d = points.dimensions();
  DistinctPoints out;
  out.valid = static_cast<std::int64_t>(rows.size());
  out.coordinates.reserve(rows.size() * static_cast<std::size_t>(d));
  out.ids.reserve(rows.size());
  out.first.reserve(rows.size() + 1);
  for (auto begin = rows.begin(), end = begin; begin != rows.end(); begin = end) {
    while (end != rows.end() && cell_of(*end) == cell_of(*begin)) ++end;
    if (end - begin > 1)
      std::sort(begin, end, [&](CellRow a, CellRow b) {
        const std::array<double, 3> p = points[row_of(a)], q = points[row_of(b)];
        return p == q ? a < b : p < q;
      });
    for (auto row = begin; row != end; ++row) {
      const std::array<double, 3> point = points[row_of(*row)];
      if (row == begin || point != points[row_of(*(row - 1))]) {
        out.first.push_back(static_cast<std::uint32_t>(out.ids.size()));
        out.coordinates.insert(out.coordinates.end(), point.begin(), point.begin() + d);
      }
      out.ids.push_back(static_cast<std::int32_t>(row_of(*row)));
    }
  }
  out.first.push_back(static_cast<std::uint32_t>(out.ids.size()));
  return out;
}

}  // namespace kann::accuracy
