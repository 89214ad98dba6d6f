#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "cuda/exact/cells/search_cells.hpp"
#include "cuda/exact/exact.hpp"

namespace kann::cuda::exact {
namespace {

/// With fewer points, any search takes a fraction of a millisecond.
constexpr std::int64_t k_min_points = 1 << 16;
/// The maximum Problem::unevenness(). It is 1.08 if the density rises from half of its average on one side of the box
/// to one and a half on the other.
constexpr double k_max_unevenness = 1.1;
/// The maximum share of balls that reach out of the box, where they hold fewer points.
constexpr double k_max_outside = 0.3;
/// Cells are numbered by int32, and by float32 along an axis.
constexpr double k_max_cells = 0x1p30;
constexpr int k_max_row = 1 << 22;
/// Points are staged 64 at a time.
constexpr int k_staged_step = 64;
/// The side of a cell along x, in units of the mean spacing of the data; and its sides along y and z, in units of the
/// radius of a ball, so that the balls around queries in two rows of cells meet four rows.
constexpr double k_along_3d = 0.43, k_along_2d = 0.36, k_across = 1.004;

/// The average number of points for which nearly all balls hold `k`: one in 150 holds fewer, for any k.
double expected_points(double k) { return k + 3.25 * std::sqrt(k) + 0.5; }

/// CellGrid::staged. Lengths are in units of the mean spacing; `reach` is the radius of a ball.
int staged_points(double reach, double along, double across, bool is_3d) {
  constexpr double lanes = 32;
  const double section = is_3d ? across * across : across, rows = is_3d ? 16 : 4, of_queries = is_3d ? 4 : 2;
  // The balls of a team meet four rows along each axis, and its queries are in two of them
  const double mean = of_queries * lanes + rows * section * (2 * reach + along);
  const double deviation = std::sqrt(mean + of_queries * of_queries * lanes);
  return std::min(static_cast<int>(std::ceil((mean + 2.5 * deviation) / k_staged_step)) * k_staged_step, k_max_staged);
}

std::array<double, 3> extents(const Problem& p) {
  std::array<double, 3> all{};
  for (int a = 0; a < p.dimensions; ++a) all[a] = p.box.hi[a] - p.box.lo[a];
  return all;
}

}  // namespace

std::optional<CellGrid> cells_over(const Problem& p) {
  if (p.k > std::min(p.list_size(), k_max_cell_list)) return {};
  const std::array<double, 3> extent = extents(p);
  const auto count = static_cast<double>(p.data_count);
  const bool is_3d = p.dimensions == 3;
  const double spacing =
      is_3d ? std::cbrt(extent[0] * extent[1] * extent[2] / count) : std::sqrt(extent[0] * extent[1] / count);
  // For k = 1, the cells of k = 2: with smaller ones, ordering the data takes .1 ms longer than the search saves
  const double points = expected_points(static_cast<double>(std::max<std::int64_t>(p.k, 2)));
  const double radius =
      spacing * (is_3d ? std::cbrt(points * 0.75 / std::numbers::pi) : std::sqrt(points / std::numbers::pi));
  if (!(radius > 0x1p-50 && radius < 0x1p50)) return {};  // float32 holds its square

  const double along = is_3d ? k_along_3d : k_along_2d, across = k_across * radius / spacing;
  CellGrid grid{};
  grid.radius = static_cast<float>(radius);
  grid.staged = staged_points(radius / spacing, along, across, is_3d);
  grid.points_per_cell = static_cast<float>(along * across * (is_3d ? across : 1));
  double cells = 1;
  for (int a = 0; a < 3; ++a) {
    grid.lo[a] = static_cast<float>(p.box.lo[a]);
    grid.inv[a] = static_cast<float>(1 / (spacing * (a == 0 ? along : across)));
    grid.sides[a] = static_cast<float>(extent[a] * grid.inv[a]);
    grid.cells[a] = static_cast<int>(std::min(extent[a] * grid.inv[a], k_max_cells)) + 1;
    grid.slack[a] = static_cast<float>(grid.cells[a]) * 0x1p-19f;
    cells *= grid.cells[a];
  }
  if (cells > k_max_cells || *std::ranges::max_element(grid.cells) >= k_max_row) return {};
  grid.x_per_y = grid.inv[0] / grid.inv[1] * (1 + 0x1p-18f);
  return grid;
}

std::optional<CellGrid> plan_cells(const Problem& p) {
  const std::optional<CellGrid> grid = p.data_count < k_min_points ? std::nullopt : cells_over(p);
  double outside = 0;
  for (int a = 0; grid && a < p.dimensions; ++a) outside += 2 * grid->radius / extents(p)[a];
  // The unevenness comes last, since it takes some time to compute
  return grid && outside < k_max_outside && p.unevenness() < k_max_unevenness ? grid : std::nullopt;
}

}  // namespace kann::cuda::exact
