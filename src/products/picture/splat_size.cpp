#include "products/picture/splat_size.hpp"

#include <algorithm>
#include <cmath>

namespace kann::picture {
namespace {

/// The fraction, among the cells that have a point, of those that have more than one. `cells` has the cell of each
/// point, and is reordered.
double shared_part(std::vector<std::uint64_t>& cells) {
  std::ranges::sort(cells);
  std::int64_t occupied = 0, shared = 0;
  for (std::size_t i = 0; i < cells.size();) {
    std::size_t end = i + 1;
    while (end < cells.size() && cells[end] == cells[i]) ++end;
    ++occupied;
    shared += end - i > 1;
    i = end;
  }
  return occupied > 0 ? static_cast<double>(shared) / static_cast<double>(occupied) : 0;
}

}  // namespace

double splat_diameter(const Scene& scene, const Sample& sample, int unit) {
  const double largest = 3.5 * unit;
  std::vector<ScreenPoint> on_screen;
  for (const auto& p : sample.points)
    if (const ScreenPoint s = scene.projection(p[0], p[1], p[2]); scene.canvas.has(s)) on_screen.push_back(s);
  std::vector<std::uint64_t> cells(on_screen.size());
  const auto is_shared = [&](double cell) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = static_cast<std::uint64_t>(on_screen[i].y / (cell * k_subpixels)) << 32 |
                 static_cast<std::uint64_t>(on_screen[i].x / (cell * k_subpixels));
    return shared_part(cells) >= 0.5;
  };
  // Bisection for the smallest cell size at which half of the cells with a point are shared
  constexpr double growth = 1.1, first = 0.5;
  int low = 0, high = static_cast<int>(std::log(largest * std::sqrt(sample.stands_for) / first) / std::log(growth)) + 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (is_shared(first * std::pow(growth, middle)))
      high = middle;
    else
      low = middle + 1;
  }
  const double cell = first * std::pow(growth, low) / std::sqrt(sample.stands_for);
  const double closed = 2.6 / std::sqrt(1.26) * cell;
  const double visible = closed < 1 ? closed : std::min(2 * closed, 0.6 * unit);
  return std::clamp(std::max(closed, visible), 1.0, largest);
}

}  // namespace kann::picture
