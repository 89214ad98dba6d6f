// The cells of a grid, as queries that are made when they are wanted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "kann/error.hpp"
#include "kann/query_grid.hpp"

#include "base/float_environment.hpp"
#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/sources/survey.hpp"
#include "problem/grid_of_survey.hpp"

namespace kann::flow {

class GridSource : public CloudSource {
 public:
  GridSource(std::string name, const QueryGrid& grid, int threads, base::MemoryBudget* memory)
      : name_(std::move(name)), grid_(grid), threads_(threads), memory_(memory) {
    described_.points = {grid.dimensions, Array<double>()};
  }

  const std::string& name() const override { return name_; }
  int dimensions() const override { return grid_.dimensions; }
  bool is_float64() const override { return true; }
  std::int64_t size() const override { return grid_.size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    const base::MemoryCharge charge(memory_, block_bytes(std::min(most, end - begin)));
    for (; begin < end; begin += most) f(begin, cell_centers(grid_, begin, std::min(most, end - begin), threads_));
  }
  const Cloud& described() const override { return described_; }
  Cloud read(std::int64_t first, std::int64_t count) const override {
    return {cell_centers(grid_, first, count, threads_), {}};
  }
  std::uint64_t hash() const override { return 0; }  // step, shape and origin identify the cells

 private:
  const std::string name_;
  const QueryGrid grid_;
  const int threads_;
  base::MemoryBudget* const memory_;
  Cloud described_;
};

/// Returns make(), and adds the names of the data and of the option to its errors; for cubes, also a hint that
/// --columns may have been forgotten.
auto with_grid_names(const std::string& data, int dimensions, auto make) {
  try {
    return make();
  } catch (const Error& error) {
    const std::string larger = error.kind() == ErrorKind::resources ? "; take a larger step" : "";
    const std::string flat = dimensions == 3 ? "; --columns x,y makes squares of its cubes" : "";
    throw Error(error.kind(), data + ": --grid: " + error.what() + larger + flat);
  }
}

/// Refuses cells of degrees whose centres are beyond a pole. @throws Error usage.
inline void check_latitudes(const QueryGrid& grid) {
  const auto latitude = [&](std::int64_t cell) {
    return (static_cast<double>(grid.first[1] + cell) + 0.5) * grid.step;
  };
  for (const std::int64_t cell : {std::int64_t{0}, grid.cells[1] - 1})
    if (grid.size() > 0 && std::abs(latitude(cell)) > 90)
      throw Error(
          ErrorKind::usage,
          fmt::format("a grid of step {} has cells with their centres beyond a pole, at the latitude {}; take a "
                      "step that divides 90, and leave out data at 90 itself, or give the points by --query",
                      grid.step, latitude(cell)));
}

/// The grid over all points of the data, of which each rank reads its share once. All ranks call it; blocks.
/// @throws Error as kann::grid_over() and Communicator::gather().
inline QueryGrid grid_over(const PointSource& data, double step, bool is_sky, std::int64_t most, int threads,
                           Communicator& ranks) {
  const base::DefaultFloatEnvironment environment;
  with_grid_names(data.name(), data.dimensions(), [&] { problem::check_step(step); });
  const problem::Survey all = survey(data, most, threads, ranks);
  return with_grid_names(data.name(), data.dimensions(), [&] {
    const QueryGrid grid = problem::grid_over(all, data.dimensions(), step);
    if (is_sky) check_latitudes(grid);
    return grid;
  });
}

}  // namespace kann::flow
