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

/// The grid over `bounds`, cut back to where the points are: 1/64 of the sample is trimmed at both ends of each axis,
/// and what is left grows by eight times its longest side in every direction. So a few distant points cost the others
/// at most 4.1 of their 20 bits (the plain box of a cloud with an outlier at 10⁶ extents puts all others into one
/// cell), and the cut-off points share the outermost cells. A box without outliers stays as it is.
/// @param sample row-major coordinates of the sampled points, as above; may be empty when there are no points.
template <int D>
Grid make_grid(const Box& bounds, const std::vector<float>& sample) {
  constexpr double margin = 8;
  const std::size_t count = sample.size() / D;
  const std::size_t trim = count >= 4 ? count / 64 + 1 : 0;

  Box core = bounds;
  std::vector<float> values(count);
  for (int a = 0; a < D && count > 0; ++a) {
    for (std::size_t i = 0; i < count; ++i) values[i] = sample[i * D + a];
    std::sort(values.begin(), values.end());
    core.lo[a] = values[trim];
    core.hi[a] = values[count - 1 - trim];
  }

  Box box = bounds;
  const double reach = margin * core.extent(D);
  if (reach > 0) {  // else most of the points are one, and the others need the whole box
    for (int a = 0; a < D; ++a) {
      box.lo[a] = std::max(bounds.lo[a], core.lo[a] - reach);
      box.hi[a] = std::min(bounds.hi[a], core.hi[a] + reach);
    }
  }

  Grid grid;
  for (int a = 0; a < D; ++a) grid.lo[a] = static_cast<float>(box.lo[a]);
  // The lower bound keeps inv finite when the core is a speck in the bounds.
  const double extent = std::max(box.extent(D), std::ldexp(bounds.extent(D), -60));
  if (extent > 0) grid.inv = static_cast<float>(std::ldexp(1.0, k_cell_bits<D>) / extent);
  return grid;
}

}  // namespace kann
