// The data's box, and the grid over it, from order statistics that are cheap and the same everywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "geometry/grid.hpp"

namespace kann {

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

/// How many points the box is estimated from, and which: sample i of n points is row floor(i·n / sample_size(n)).
inline std::int64_t sample_size(std::int64_t n) { return std::min<std::int64_t>(n, 4096); }
inline std::int64_t sample_row(std::int64_t i, std::int64_t n) { return i * n / sample_size(n); }

/// Where most of the points are: the box of the sample, less 1/64 of it at both ends of each axis.
/// @param bounds the box of all points
/// @param sample row-major coordinates of the sampled points, as above; may be empty when there are no points
inline Box core_box(const Box& bounds, const std::vector<double>& sample, int dimensions) {
  const std::size_t count = sample.size() / dimensions;
  if (count == 0) return bounds;
  const std::size_t trim = count >= 4 ? count / 64 + 1 : 0;
  Box core;
  std::vector<double> values(count);
  for (int a = 0; a < dimensions; ++a) {
    for (std::size_t i = 0; i < count; ++i) values[i] = sample[i * dimensions + a];
    std::sort(values.begin(), values.end());
    core.lo[a] = values[trim];
    core.hi[a] = values[count - 1 - trim];
  }
  return core;
}

/// The box that the grid covers: `bounds`, cut back to the core and eight times its longest side around it. So a few
/// distant points cost the others at most 4.1 of their 20 bits (the plain box of a cloud with an outlier at 10⁶ extents
/// puts all others into one cell), and the cut-off points share the outermost cells. A box without outliers stays as it
/// is; so does that of a core of one point, since the others need it all.
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
  // Bounded, so that a speck of a box has a finite grid: (x − lo)·inv may overflow, and is clamped then.
  if (extent > 0) grid.inv = static_cast<float>(std::min(std::ldexp(1.0, k_cell_bits<D>) / extent, 0x1p100));
  return grid;
}

}  // namespace kann
