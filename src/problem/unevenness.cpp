#include "problem/unevenness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kann::problem {
namespace {

/// Whether more than a third of the points have the same first coordinate as an earlier point.
bool is_on_lattice(const std::vector<double>& sample, std::size_t axes) {
  std::vector<double> first;
  for (std::size_t i = 0; i < sample.size(); i += axes) first.push_back(sample[i]);
  return 3 * geometry::distinct_rows(first, 1).size() < 2 * first.size();
}

}  // namespace

double unevenness(const geometry::Box& box, const std::vector<double>& sample, int dimensions) {
  constexpr double points_per_cell = 8;
  const auto axes = static_cast<std::size_t>(dimensions);
  const std::size_t count = sample.size() / axes;
  double volume = 1;
  for (std::size_t a = 0; a < axes; ++a) volume *= box.hi[a] - box.lo[a];
  if (count < 2 || !(volume > 0) || !std::isfinite(volume)) return std::numeric_limits<double>::infinity();

  // Cells of about the same length, width and height
  const double side = std::pow(volume * points_per_cell / static_cast<double>(count), 1.0 / dimensions);
  std::array<std::size_t, 3> cells{1, 1, 1};
  for (std::size_t a = 0; a < axes; ++a)
    cells[a] = static_cast<std::size_t>(
        std::clamp(std::round((box.hi[a] - box.lo[a]) / side), 1.0, static_cast<double>(count)));
  const std::size_t total = cells[0] * cells[1] * cells[2];
  std::vector<double> points(total);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t cell = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      const double share = (sample[i * axes + a] - box.lo[a]) / (box.hi[a] - box.lo[a]);
      const double place = std::clamp(share * static_cast<double>(cells[a]), 0.0, static_cast<double>(cells[a] - 1));
      cell = cell * cells[a] + static_cast<std::size_t>(place);
    }
    ++points[cell];
  }
  double pairs = 0;  // ordered pairs of points in one cell
  for (const double n : points) pairs += n * (n - 1);
  const auto n = static_cast<double>(count);
  const double unevenness = pairs * static_cast<double>(total) / (n * (n - 1));
  constexpr double surely_uneven = 2;
  return unevenness < surely_uneven && is_on_lattice(sample, axes) ? std::numeric_limits<double>::infinity()
                                                                   : unevenness;
}

}  // namespace kann::problem
