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
#include "geometry/host_device.hpp"

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

/// The size of the sample that the core box is computed from, and its row `i` of n: one row per run of n /
/// sample_size(n) rows, at a place in the run that varies. A scan often has a power of two of points per column, and a
/// fixed stride could sample one column without returns only.
KANN_HOST_DEVICE constexpr std::int64_t sample_size(std::int64_t n) { return n < 4096 ? n : 4096; }
KANN_HOST_DEVICE constexpr std::int64_t sample_row(std::int64_t i, std::int64_t n) {
  const std::int64_t size = sample_size(n), begin = i * n / size, end = (i + 1) * n / size;
  const std::uint64_t mixed = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15;  // 2⁶⁴ / golden ratio
  return begin + static_cast<std::int64_t>((mixed >> 33) % static_cast<std::uint64_t>(end - begin));
}

/// The distinct rows of every `step`-th one of a sample, in the order in which they first occur. A table of hashes
/// finds them: a sort takes six times as long.
inline std::vector<std::array<double, 3>> distinct_rows(const std::vector<double>& sample, int dimensions,
                                                        std::size_t step = 1) {
  std::vector<std::array<double, 3>> rows;
  const std::size_t count = sample.size() / dimensions, slots = std::bit_ceil(2 * count / step + 1);
  std::vector<std::uint32_t> table(slots, static_cast<std::uint32_t>(count));  // numbers of rows; `count`: none
  rows.reserve(count / step + 1);
  for (std::size_t i = 0; i < count; i += step) {
    std::array<double, 3> row{};
    std::uint64_t hash = 0;
    for (int a = 0; a < dimensions; ++a) {
      row[a] = sample[i * dimensions + a] + 0.0;  // −0 is 0
      hash = (hash ^ std::bit_cast<std::uint64_t>(row[a])) * 0x9e3779b97f4a7c15;
    }
    std::size_t slot = (hash >> 32) & (slots - 1);
    while (table[slot] != count && rows[table[slot]] != row) slot = (slot + 1) & (slots - 1);
    if (table[slot] != count) continue;
    table[slot] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(row);
  }
  return rows;
}

/// The values that are at some places once `values` are sorted. They are counted into bins, so that only those in the
/// bins of these places need be sorted: 4,096 values take 25 µs; with std::nth_element they take 110.
template <std::size_t kPlaces>
std::array<double, kPlaces> order_statistics(const std::vector<double>& values,
                                             const std::array<std::size_t, kPlaces>& places) {
  constexpr std::size_t bins = 256;
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  const double low = *least, per_bin = (bins - 1) / (*largest - low);
  const bool has_bins = per_bin > 0 && std::isfinite(per_bin);  // otherwise all values are in the first bin
  const auto bin_of = [=](double x) { return has_bins ? static_cast<std::size_t>((x - low) * per_bin) : 0; };
  std::array<std::size_t, bins> counts{};
  for (const double x : values) ++counts[bin_of(x)];

  std::array<bool, bins> is_sorted{};
  std::array<std::size_t, kPlaces> among_sorted = places;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    std::size_t bin = 0;
    for (std::size_t before = counts[0]; before <= places[i]; before += counts[bin]) ++bin;
    is_sorted[bin] = true;
  }
  std::size_t before = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t i = 0; i < kPlaces; ++i)
      if (!is_sorted[bin] && before + counts[bin] <= places[i]) among_sorted[i] -= counts[bin];
    before += counts[bin];
  }
  std::vector<double> sorted;
  for (const double x : values)
    if (is_sorted[bin_of(x)]) sorted.push_back(x);
  std::sort(sorted.begin(), sorted.end());
  std::array<double, kPlaces> found;
  for (std::size_t i = 0; i < kPlaces; ++i) found[i] = sorted[among_sorted[i]];
  return found;
}

/// The box of most points. It is the box of the distinct points of some of the sample (a scan may have (0, 0, 0) for
/// every missing return) without two groups: 1/64 of the points at both ends of each axis, and, on each axis, the
/// points farther from its middle half than 64 times the widest middle half of all axes. So up to a quarter of the
/// points may be far away.
/// @param bounds the box of all points
/// @param sample row-major coordinates of the points at sample_row(); empty when there are no points
inline Box core_box(const Box& bounds, const std::vector<double>& sample, int dimensions) {
  constexpr std::size_t enough = 1024;  // 30 µs; all 4,096 take 110, as long as a search of 10⁵ points on a GPU
  const auto rows = distinct_rows(sample, dimensions, std::max<std::size_t>(sample.size() / dimensions / enough, 1));
  const std::size_t count = rows.size();
  if (count == 0) return bounds;
  const std::size_t trim = count >= 4 ? count / 64 + 1 : 0;
  struct Axis {
    double first, lower, upper, last;  // the ends without the trimmed points; between them, those of the middle half
  };
  std::array<Axis, 3> axes;
  std::vector<double> values(count);
  double widest = 0;
  for (int a = 0; a < dimensions; ++a) {
    Axis& axis = axes[a];
    for (std::size_t i = 0; i < count; ++i) values[i] = rows[i][a];
    const std::array<std::size_t, 4> places = {trim, count / 4, count - 1 - count / 4, count - 1 - trim};
    const std::array<double, 4> found = order_statistics(values, places);
    axis.first = found[0], axis.lower = found[1], axis.upper = found[2], axis.last = found[3];
    widest = std::max(widest, axis.upper - axis.lower);
  }
  const double reach = widest > 0 ? 64 * widest : std::numeric_limits<double>::infinity();
  Box core;
  for (int a = 0; a < dimensions; ++a) {
    const Axis& axis = axes[a];
    double lo = axis.lower, hi = axis.upper;
    for (const auto& row : rows) {
      if (row[a] >= axis.lower - reach) lo = std::min(lo, row[a]);
      if (row[a] <= axis.upper + reach) hi = std::max(hi, row[a]);
    }
    core.lo[a] = std::max(lo, axis.first);
    core.hi[a] = std::min(hi, axis.last);
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
