#include "cli/job/grid_queries.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "kann/array.hpp"

#include "flow/sources/grid_source.hpp"
#include "search/search_memory.hpp"

namespace kann::cli {
namespace {

std::string name_of_data(const Options& options) { return options.data == "-" ? "stdin" : options.data; }

void check(const Options& options, const QueryGrid& grid) {
  const auto cells = static_cast<double>(grid.size());
  const double centers = cells * grid.dimensions * static_cast<double>(sizeof(double));
  detail::check_query_memory(grid.dimensions, grid.size(), options.search, centers,
                             fmt::format("a search of the {} cells of the grid", grid.size()).c_str());
}

}  // namespace

QueryGrid grid_of(const Options& options, const Points& data, int threads) {
  return flow::with_grid_names(name_of_data(options), data.dimensions, [&] {
    const QueryGrid grid = grid_over(data, *options.grid, threads);
    if (options.sky) flow::check_latitudes(grid);
    return grid;
  });
}

void check_cells_fit(const Options& options, const QueryGrid& grid) {
  flow::with_grid_names(name_of_data(options), grid.dimensions, [&] { check(options, grid); });
}

Points centers_of(const Options& options, const QueryGrid& grid, int threads) {
  return flow::with_grid_names(name_of_data(options), grid.dimensions, [&] {
    check(options, grid);
    return cell_centers(grid, threads);
  });
}

std::vector<Attribute> grid_arrays(const QueryGrid& grid) {
  const auto shape = grid.shape();
  const auto origin = grid.origin();
  return {{"grid_shape", Array<std::int64_t>(shape.begin(), shape.end())},
          {"grid_origin", Array<double>(origin.begin(), origin.end())},
          {"grid_step", Array<double>{grid.step}}};
}

}  // namespace kann::cli
