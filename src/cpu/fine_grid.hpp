// A grid over the float64 points of one crowded cell. Their ordered bits alone are no order of points that are near
// each other: with x at 4·10⁶ and y at 10, all of the bits of y come before those of x that differ.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "cpu/vector/names.hpp"
#include "geometry/crowded_cell.hpp"
#include "geometry/hilbert.hpp"
#include "geometry/morton.hpp"

namespace kann::cpu {

/// Point `row` of row-major coordinates.
template <int D>
std::array<double, D> given_point(const double* given, std::uint32_t row) {
  std::array<double, D> point;
  for (int a = 0; a < D; ++a) point[a] = given[static_cast<std::int64_t>(row) * D + a];
  return point;
}

/// 2⁶² cells on the longest axis.
template <int D>
class FineGrid {
 public:
  FineGrid() = default;

  /// Over `count` of the points, by their rows.
  FineGrid(const double* given, const std::uint32_t* rows, std::int64_t count) {
    Point hi;
    lo_.fill(std::numeric_limits<double>::infinity());
    hi.fill(-std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < count; ++i) {
      const Point point = given_point<D>(given, rows[i]);
      for (int a = 0; a < D; ++a) {
        lo_[a] = std::min(lo_[a], point[a]);
        hi[a] = std::max(hi[a], point[a]);
      }
    }
    double extent = 0;
    for (int a = 0; a < D; ++a) extent = std::max(extent, hi[a] - lo_[a]);
    if (extent > 0) scale_ = std::min(k_last / extent, std::numeric_limits<double>::max());
  }

  /// The place of a point along the Hilbert curve, by the leading k_cell_bits<D> bits of each axis.
  std::uint64_t code_of(const std::array<double, D>& point) const {
    const Cell whole = cell_of(point);
    std::uint32_t leading[D];
    for (int a = 0; a < D; ++a) leading[a] = static_cast<std::uint32_t>(whole[a] >> (62 - 32));
    std::uint64_t code = 0;
    std::uint32_t parity = 0;
    for (int bit = 0; bit < k_cell_bits<D>; ++bit) add_hilbert_digit(leading, parity, code);
    return code;
  }

  /// Whether p comes before q, where their codes are equal: by their cells, then by their bits.
  bool precedes(const std::array<double, D>& p, const std::array<double, D>& q) const {
    std::uint64_t p_cell[D], q_cell[D];
    std::ranges::copy(cell_of(p), p_cell);
    std::ranges::copy(cell_of(q), q_cell);
    const int compared = compare_interleaved(p_cell, q_cell);
    return compared != 0 ? compared < 0 : precedes_within_cell<D>(p.data(), q.data());
  }

 private:
  using Point = std::array<double, D>;
  using Cell = std::array<std::uint64_t, D>;
  static constexpr double k_last = 0x1p62 - 0x1p9;

  /// Points outside are in the outermost cells.
  Cell cell_of(const Point& point) const {
    Cell cell;
    for (int a = 0; a < D; ++a) {
      const double t = (point[a] - lo_[a]) * scale_;
      cell[a] = t > 0 ? static_cast<std::uint64_t>(std::min(t, k_last)) : 0;
    }
    return cell;
  }

  Point lo_{};
  double scale_ = 0;  // cells per unit of length; 0 where all points are one
};

}  // namespace kann::cpu
