#include "problem/unevenness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kann::problem {
namespace {

/// The number of different values.
double distinct(const std::vector<double>& values) {
  return static_cast<double>(geometry::distinct_rows(values, 1).size());
}

/// Whether more than a third of the points have the same first coordinate as an earlier point.
bool is_on_lattice(const std::vector<double>& sample, std::size_t axes) {
  std::vector<double> first;
  for (std::size_t i = 0; i < sample.size(); i += axes) first.push_back(sample[i]);
  return 3 * distinct(first) < 2 * static_cast<double>(first.size());
}

/// The points of a sample by the cell in which they are; all cells together are the box.
struct InCells {
  std::vector<double> cells;  ///< the number of each point's cell
  std::size_t total = 1;      ///< of all cells
};

/// About `wanted` cells, of about the same length, width and height.
InCells in_cells(const geometry::Box& box, const std::vector<double>& sample, std::size_t axes, double volume,
                 double wanted) {
  const double side = std::pow(volume / wanted, 1.0 / static_cast<double>(axes));
  std::array<double, 3> along{1, 1, 1};
  InCells all;
  for (std::size_t a = 0; a < axes; ++a) {
    along[a] = std::clamp(std::round((box.hi[a] - box.lo[a]) / side), 1.0, std::ceil(wanted));
    all.total *= static_cast<std::size_t>(along[a]);
  }
  for (std::size_t i = 0; i < sample.size(); i += axes) {
    double cell = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      const double share = (sample[i + a] - box.lo[a]) / (box.hi[a] - box.lo[a]);
      cell = cell * along[a] + std::floor(std::clamp(share * along[a], 0.0, along[a] - 1));
    }
    all.cells.push_back(cell);
  }
  return all;
}

/// The unevenness as the pairs of points in one cell tell it, for cells with many points.
double by_pairs(const InCells& points) {
  std::vector<double> counts(points.total);
  for (const double cell : points.cells) ++counts[static_cast<std::size_t>(cell)];
  double pairs = 0;  // ordered ones
  for (const double n : counts) pairs += n * (n - 1);
  const auto n = static_cast<double>(points.cells.size());
  return pairs * static_cast<double>(points.total) / (n * (n - 1));
}

/// The same, but hardly ever more than it is, from the points that are not the first in their cells: for cells with few
/// points.
double by_repeats(const InCells& points) {
  const auto n = static_cast<double>(points.cells.size()), total = static_cast<double>(points.total);
  const double expected = n + total * std::expm1(n * std::log1p(-1 / total));  // in an even cloud
  constexpr double deviations = 4, at_least = 3;
  return (n - distinct(points.cells) - deviations * std::sqrt(expected) - at_least) / expected;
}

}  // namespace

double unevenness(const geometry::Box& box, const std::vector<double>& sample, int dimensions, std::int64_t points) {
  const auto axes = static_cast<std::size_t>(dimensions);
  const auto count = static_cast<double>(sample.size() / axes);
  double volume = 1;
  for (std::size_t a = 0; a < axes; ++a) volume *= box.hi[a] - box.lo[a];
  if (count < 2 || !(volume > 0) || !std::isfinite(volume)) return std::numeric_limits<double>::infinity();

  constexpr double points_per_cell = 8, least_repeats = 4, surely_uneven = 2;
  double found = by_pairs(in_cells(box, sample, axes, volume, count / points_per_cell));
  const double fine = std::min(static_cast<double>(points) / points_per_cell, count * count / (2 * least_repeats));
  if (found < surely_uneven && fine > count)
    found = std::max(found, by_repeats(in_cells(box, sample, axes, volume, fine)));
  return found < surely_uneven && is_on_lattice(sample, axes) ? std::numeric_limits<double>::infinity() : found;
}

}  // namespace kann::problem
