// The functions of kann/query_grid.hpp.
#include "kann/query_grid.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "base/float_environment.hpp"
#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "problem/grid_of_survey.hpp"
#include "problem/prepare.hpp"
#include "problem/survey.hpp"
#include "problem/valid_points.hpp"

namespace kann {
namespace {

/// Queries are counted by int32.
constexpr double k_max_cells = std::numeric_limits<std::int32_t>::max();

/// Cell numbers must be below this: quotients, centres and edges are then right to 2⁻¹⁰ of a step.
constexpr double k_cell_limit = 0x1p43;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::usage, what); }

/// Writes a count in plain digits unless these are too many to read.
std::string count_text(double count) {
  constexpr double readable = 1e15;
  return count < readable ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}", count);
}

double cell_of(double coordinate, double step) { return std::floor(coordinate / step); }

/// The numbers of the first and the last cell along each axis. They are float64, as they may be too large for an
/// integer.
struct CellRange {
  std::array<double, 3> first{}, last{};
  double farthest = 0;  ///< the largest coordinate, whatever its sign

  double cells(std::size_t axis) const { return last[axis] - first[axis] + 1; }
};

/// Reports too many cells before cells that are too small: both need a larger step, and the first message says by how
/// much.
void check_range(const CellRange& range, double step, std::size_t dimensions) {
  double total = 1;
  std::string product;
  for (std::size_t a = 0; a < dimensions; ++a) {
    total *= range.cells(a);
    product += (a == 0 ? "" : " x ") + count_text(range.cells(a));
  }
  if (total > k_max_cells && std::isfinite(total))
    refuse(fmt::format("a grid of step {} has {} = {} cells, and a search takes {:.0f}; take a larger step", step,
                       product, count_text(total), k_max_cells));
  constexpr double margin = 1.1;  // covers rounding to two digits
  if (!(range.farthest / step < k_cell_limit))
    refuse(
        fmt::format("a grid of step {} is too fine for coordinates of {:.3g}: float64 does not tell its cells apart; "
                    "take a step of {:.2g} or more",
                    step, range.farthest, range.farthest / k_cell_limit * margin));
  for (std::size_t a = 0; a < dimensions; ++a)
    if (!std::isfinite(range.first[a] * step) || !std::isfinite((range.last[a] + 1) * step))
      refuse(fmt::format("a grid of step {} reaches past the largest float64; take a smaller step", step));
}

/// Refuses cells so large that their centres are too far from the data to be searched, unless the data themselves are
/// too wide, which the search reports.
void check_width(const geometry::Box& data, const CellRange& range, double step, std::size_t dimensions) {
  for (std::size_t a = 0; a < dimensions; ++a)
    if (!(data.hi[a] - data.lo[a] < problem::k_max_width)) return;
  for (std::size_t a = 0; a < dimensions; ++a) {
    const double lo = std::min(data.lo[a], (range.first[a] + 0.5) * step),
                 hi = std::max(data.hi[a], (range.last[a] + 0.5) * step);
    if (!(hi - lo < problem::k_max_width))
      refuse(
          fmt::format("a grid of step {} has cells that reach from {:.3g} to {:.3g} over data from {:.3g} to {:.3g}, "
                      "and a search takes points up to 10^153 apart; take a smaller step",
                      step, range.first[a] * step, (range.last[a] + 1) * step, data.lo[a], data.hi[a]));
  }
}

/// Refuses grids for which cell_centers() cannot be computed.
void check_grid(const QueryGrid& grid) {
  if (grid.dimensions != 2 && grid.dimensions != 3)
    refuse(fmt::format("a grid has 2 or 3 dimensions, not {}", grid.dimensions));
  double total = 1;
  for (int a = 0; a < grid.dimensions; ++a) total *= static_cast<double>(grid.cells[static_cast<std::size_t>(a)]);
  const bool is_negative = std::ranges::any_of(grid.cells, [](std::int64_t cells) { return cells < 0; });
  if (is_negative || total > k_max_cells)
    refuse(fmt::format("a grid of {} cells, and a search takes 0 to {:.0f}", count_text(total), k_max_cells));
}

}  // namespace

std::int64_t QueryGrid::size() const { return cells[0] * cells[1] * (dimensions == 3 ? cells[2] : 1); }

std::vector<std::int64_t> QueryGrid::shape() const {
  if (dimensions == 3) return {cells[2], cells[1], cells[0]};
  return {cells[1], cells[0]};
}

std::vector<double> QueryGrid::origin() const {
  const auto edge = [&](std::int64_t number) { return static_cast<double>(number) * step; };
  std::vector<double> corner = {edge(first[0]), edge(first[1] + cells[1])};
  if (dimensions == 3) corner.push_back(edge(first[2]));
  return corner;
}

QueryGrid grid_over(const PointsView& points, double step, int threads) {
  const base::DefaultFloatEnvironment environment;
  problem::check_step(step);
  problem::check_count(points, "the data");
  return problem::grid_over(problem::survey(points, base::thread_count(threads)), points.dimensions, step);
}

void problem::check_step(double step) {
  if (!(step > 0) || std::isinf(step)) refuse(fmt::format("the step of a grid is a positive number, not {}", step));
  if (!std::isnormal(step))
    refuse(fmt::format("the step of a grid is 2.3e-308 or more, below which float64 has fewer digits (got {})", step));
}

QueryGrid problem::grid_over(const Survey& survey, int point_dimensions, double step) {
  QueryGrid grid{.dimensions = point_dimensions, .step = step};
  if (survey.valid == 0) return grid;

  const auto dimensions = static_cast<std::size_t>(point_dimensions);
  CellRange range;
  for (std::size_t a = 0; a < dimensions; ++a) {
    range.first[a] = cell_of(survey.box.lo[a], step);
    range.last[a] = cell_of(survey.box.hi[a], step);
    range.farthest = std::max({range.farthest, std::abs(survey.box.lo[a]), std::abs(survey.box.hi[a])});
  }
  check_range(range, step, dimensions);
  check_width(survey.box, range, step, dimensions);
  for (std::size_t a = 0; a < dimensions; ++a) {
    grid.first[a] = static_cast<std::int64_t>(range.first[a]);
    grid.cells[a] = static_cast<std::int64_t>(range.cells(a));
  }
  return grid;
}

Points cell_centers(const QueryGrid& grid, int threads) { return cell_centers(grid, 0, grid.size(), threads); }

Points cell_centers(const QueryGrid& grid, std::int64_t first, std::int64_t count, int threads) {
  check_grid(grid);
  if (first < 0 || count < 0 || first > grid.size() - count) refuse("a grid has no such cells");
  const auto dimensions = static_cast<std::size_t>(grid.dimensions);
  const std::size_t size = static_cast<std::size_t>(count) * dimensions;
  base::check_host_memory(static_cast<double>(size * sizeof(double)), fmt::format("a grid of {} cells", count).c_str());
  Array<double> centers(size);
  const auto center = [&](std::size_t axis, std::int64_t i) {
    return (static_cast<double>(grid.first[axis] + i) + 0.5) * grid.step;
  };
  const std::int64_t columns = grid.cells[0], rows = grid.cells[1];
  base::parallel_blocks(count, base::thread_count(threads), [&](int, std::int64_t begin, std::int64_t end) {
    double* out = centers.data() + static_cast<std::size_t>(begin) * dimensions;
    for (std::int64_t cell = first + begin; cell < first + end;) {
      const std::int64_t line = cell / columns, line_end = std::min(first + end, (line + 1) * columns);
      const double y = center(1, rows - 1 - line % rows), z = center(2, line / rows);
      for (; cell < line_end; ++cell, out += dimensions) {
        out[0] = center(0, cell - line * columns);
        out[1] = y;
        if (dimensions == 3) out[2] = z;
      }
    }
  });
  return {grid.dimensions, std::move(centers)};
}

}  // namespace kann
