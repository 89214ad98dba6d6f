// The box that the grid covers, from order statistics of a sample, which are fast and the same on every machine.
#pragma once

#include <algorithm>
#include <array>
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

/// The distinct rows of a sample, sorted.
inline std::vector<std::array<double, 3>> distinct_rows(const std::vector<double>& sample, int dimensions) {
  std::vector<std::array<double, 3>> rows(sample.size() / dimensions);
  for (std::size_t i = 0; i < sample.size(); ++i) rows[i / dimensions][i % dimensions] = sample[i];
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
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
  std::array<std::vector<double>, 3> axes;
  double widest = 0;
  for (int a = 0; a < dimensions; ++a) {
    for (const auto& row : rows) axes[a].push_back(row[a]);
    std::sort(axes[a].begin(), axes[a].end());
    widest = std::max(widest, axes[a][count - 1 - count / 4] - axes[a][count / 4]);
  }
  const double reach = widest > 0 ? 64 * widest : std::numeric_limits<double>::infinity();
  Box core;
  for (int a = 0; a < dimensions; ++a) {
    const std::vector<double>& values = axes[a];
    core.lo[a] = std::max(values[trim], *std::lower_bound(values.begin(), values.end(), values[count / 4] - reach));
    core.hi[a] = std::min(values[count - 1 - trim],
                          *(std::upper_bound(values.begin(), values.end(), values[count - 1 - count / 4] + reach) - 1));
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
