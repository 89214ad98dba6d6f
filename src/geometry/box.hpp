// The box that the grid covers, from order statistics of a sample, which are fast and the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "geometry/grid.hpp"

namespace kann::geometry {

/// Smallest and largest coordinate on each axis.
struct Box {
  std::array<double, 3> lo{};
  std::array<double, 3> hi{};

  /// The longest side over the first `dimensions` axes.
  double extent(int dimensions) const {
    double longest = 0;
    for (int a = 0; a < dimensions; ++a) longest = std::max(longest, hi[a] - lo[a]);
    return longest;
  }
};

/// Row `i` of a sample of `size` ≤ n rows of n: one per run of n / size rows, at a place in the run that varies.
inline std::int64_t sample_row(std::int64_t i, std::int64_t n, std::int64_t size) {
  const std::int64_t begin = i * n / size, end = (i + 1) * n / size;
  const std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;  // 2⁶⁴ / golden ratio
  return begin + static_cast<std::int64_t>((mixed >> 33) % static_cast<std::uint64_t>(end - begin));
}

/// The size of the sample that the core box is computed from, and its row `i` of n: one row per run of n /
/// sample_size(n) rows, at a place in the run that varies. A scan often has a power of two of points per column, and a
/// fixed stride could sample one column without returns only.
inline std::int64_t sample_size(std::int64_t n) { return std::min<std::int64_t>(n, 4096); }
inline std::int64_t sample_row(std::int64_t i, std::int64_t n) { return sample_row(i, n, sample_size(n)); }

/// The distinct rows of a sample, in the order in which they first occur. By a table of hashes: a sort takes six times
/// as long.
inline std::vector<std::array<double, 3>> distinct_rows(const std::vector<double>& sample, int dimensions) {
  std::vector<std::array<double, 3>> rows;
  const std::size_t count = sample.size() / dimensions, slots = std::bit_ceil(2 * count + 1);
  std::vector<std::size_t> table(slots, count);  // numbers of rows; `count`: none
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, 3> row{};
    std::uint64_t hash = 0;
    for (int a = 0; a < dimensions; ++a) {
      row[a] = sample[i * dimensions + a] + 0.0;  // −0 is 0
      hash = (hash ^ std::bit_cast<std::uint64_t>(row[a])) * 0x9e3779b97f4a7c15;
    }
    std::size_t slot = (hash >> 32) % slots;
    while (table[slot] != count && rows[table[slot]] != row) slot = (slot + 1) % slots;
    if (table[slot] != count) continue;
    table[slot] = rows.size();
    rows.push_back(row);
  }
  return rows;
}

/// The value that is at place `i` once `values`, from place `sorted` on, are sorted; it is there then, and those before
/// are not greater.
inline double order_statistic(std::vector<double>& values, std::size_t sorted, std::size_t i) {
  std::nth_element(values.begin() + sorted, values.begin() + i, values.end());
  return values[i];
}

/// The box of most points. It is the box of the distinct points of the sample (a scan may have (0, 0, 0) for every
/// missing return) without two groups: 1/64 of the points at both ends of each axis, and, on each axis, the points
/// farther from its middle half than 64 times the widest middle half of all axes. So up to a quarter of the points may
/// be far away.
/// @param bounds the box of all points
/// @param sample row-major coordinates of the points at sample_row(); empty when there are no points
inline Box core_box(const Box& bounds, const std::vector<double>& sample, int dimensions) {
  const auto rows = distinct_rows(sample, dimensions);
  const std::size_t count = rows.size();
  if (count == 0) return bounds;
  const std::size_t trim = count >= 4 ? count / 64 + 1 : 0;
  struct Axis {
    std::vector<double> values;
    double first, lower, upper, last;  // without those trimmed, and the ends of the middle half
  };
  std::array<Axis, 3> axes;
  double widest = 0;
  for (int a = 0; a < dimensions; ++a) {
    Axis& axis = axes[a];
    for (const auto& row : rows) axis.values.push_back(row[a]);
    axis.first = order_statistic(axis.values, 0, trim);
    axis.lower = order_statistic(axis.values, trim, count / 4);
    axis.upper = order_statistic(axis.values, count / 4, count - 1 - count / 4);
    axis.last = order_statistic(axis.values, count - 1 - count / 4, count - 1 - trim);
    widest = std::max(widest, axis.upper - axis.lower);
  }
  const double reach = widest > 0 ? 64 * widest : std::numeric_limits<double>::infinity();
  Box core;
  for (int a = 0; a < dimensions; ++a) {
    const Axis& axis = axes[a];
    core.lo[a] = axis.lower;
    core.hi[a] = axis.upper;
    for (const double x : axis.values) {
      if (x >= axis.lower - reach) core.lo[a] = std::min(core.lo[a], x);
      if (x <= axis.upper + reach) core.hi[a] = std::max(core.hi[a], x);
    }
    core.lo[a] = std::max(core.lo[a], axis.first);
    core.hi[a] = std::min(core.hi[a], axis.last);
  }
  return core;
}

/// The box that the grid covers: `bounds`, cut to the core box enlarged by eight times its longest side in every
/// direction. So a few distant points cost the others at most 4.1 of their 20 bits (in the box of all points, an
/// outlier at 10⁶ extents would put all others into one cell); the points outside share the outermost cells. Bounds
/// without outliers are returned unchanged, and so are bounds whose core is a single point, since all other points lie
/// outside.
inline Box grid_box(const Box& bounds, const Box& core, int dimensions) {
  constexpr double margin = 8;
  const double reach = margin * core.extent(dimensions);
  if (!(reach > 0)) return bounds;
  Box box = bounds;
  for (int a = 0; a < dimensions; ++a) {
    box.lo[a] = std::max(bounds.lo[a], core.lo[a] - reach);
    box.hi[a] = std::min(bounds.hi[a], core.hi[a] + reach);
  }
  return box;
}

/// The grid over a box.
template <int D>
Grid grid_over(const Box& box) {
  Grid grid;
  for (int a = 0; a < D; ++a) grid.lo[a] = static_cast<float>(box.lo[a]);
  const double extent = box.extent(D);
  // Limited, so that a tiny box has a finite scale: (x − lo)·inv may overflow, and cell_of() clamps it.
  if (extent > 0) grid.inv = static_cast<float>(std::min(std::ldexp(1.0, k_cell_bits<D>) / extent, 0x1p100));
  return grid;
}

}  // namespace kann::geometry
