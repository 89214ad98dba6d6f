#include "cli/job/grid_queries.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "kann/array.hpp"
#include "kann/error.hpp"

#include "search/search_memory.hpp"

namespace kann::cli {
namespace {

/// Returns make(), and adds the names of the data and the option to its errors; for cubes, also a hint that --columns
/// may have been forgotten.
auto with_names(const Options& options, int dimensions, auto make) {
  try {
    return make();
  } catch (const Error& error) {
    const std::string name = options.data == "-" ? "stdin" : options.data;
    const std::string larger = error.kind() == ErrorKind::resources ? "; take a larger step" : "";
    const std::string flat = dimensions == 3 ? "; --columns x,y makes squares of its cubes" : "";
    throw Error(error.kind(), name + ": --grid: " + error.what() + larger + flat);
  }
}

}  // namespace

QueryGrid grid_of(const Options& options, const Points& data, int threads) {
  return with_names(options, data.dimensions, [&] { return grid_over(data, *options.grid, threads); });
}

Points centers_of(const Options& options, const QueryGrid& grid, int threads) {
  return with_names(options, grid.dimensions, [&] {
    const auto cells = static_cast<double>(grid.size());
    const double centers = cells * grid.dimensions * static_cast<double>(sizeof(double));
    detail::check_query_memory(grid.dimensions, grid.size(), options.search, centers,
                               fmt::format("a search of the {} cells of the grid", grid.size()).c_str());
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
