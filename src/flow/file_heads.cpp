#include "flow/file_heads.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "flow/tile_sizes.hpp"
#include "formats/cloud_rows.hpp"
#include "problem/prepare.hpp"
#include "problem/sky.hpp"

namespace kann::flow {
namespace {

/// Bytes of memory that attributes take per byte of the file, at most: a value may take more there, and where the text
/// is kept, a cell of two bytes takes ten.
double bytes_per_byte(const formats::ReadRequest& options) { return options.spelled ? 5 : 2; }

/// Bytes of the attributes of a point, at most, as far as the size of the file tells.
double attribute_bytes(const std::string& path, const formats::ReadRequest& options,
                       const formats::CloudEstimate& cloud) {
  if (options.attributes.empty() && !options.all_attributes && !options.where) return 0;
  std::error_code error;
  const double bytes = std::max(static_cast<double>(std::filesystem::file_size(path, error)), cloud.held_bytes);
  return error || cloud.points == 0 ? 0 : bytes_per_byte(options) * bytes / static_cast<double>(cloud.points);
}

}  // namespace

bool are_surely_small(const FileRequest& request, double host) {
  constexpr double least_point = 4;  // bytes of a point in a file: those of a line of text
  double points = 0;
  for (const std::string* path : {&request.data, request.query ? &*request.query : nullptr}) {
    std::error_code error;
    if (path) points += static_cast<double>(std::filesystem::file_size(*path, error)) / least_point;
    if (error) return true;  // no file: it cannot be read twice, or at all
  }
  if (request.budget) return false;
  const double most_attributes =
      std::max(bytes_per_byte(request.of_data), bytes_per_byte(request.of_query)) * least_point;
  const CloudShape data{static_cast<std::int64_t>(points), true, most_attributes};
  const CloudShape query{data.points, false, most_attributes};
  if (request.only_writes_rows && are_many_rows(data.points, request.search.k)) return false;
  SearchOptions search = request.search;
  search.invalid = InvalidPoints::skip;
  // In 3-D, it is the shifted sort more often
  return fits_in_memory(search_shape(search, 3, data, query, request.products), {host, k_least_device});
}

FileHeads look_at_heads(const FileRequest& request) {
  FileHeads heads{.have_places = !request.grid_step, .are_estimated = request.grid_step.has_value()};
  const auto look = [&](const std::string& path, const formats::ReadRequest& options) {
    formats::RowsInHead head = formats::rows_in_head(path, options);
    heads.have_places &= head.has_places;
    heads.are_estimated |= !head.has_count;
    return std::move(head.described);
  };
  heads.data = look(request.data, request.of_data);
  if (request.query) heads.query = look(*request.query, request.of_query);
  if (heads.data && heads.query)
    problem::check_dimensions(heads.data->points.dimensions, request.data, heads.query->points.dimensions,
                              *request.query);
  if (!heads.data) return heads;
  problem::check_sides(request.search, heads.data->points.dimensions, request.data);
  if (request.search.sky) problem::check_angles(heads.data->points.dimensions, request.data);
  return heads;
}

std::optional<SearchShape> shape_of_heads(const FileRequest& request) {
  const auto shape = [](const std::string& path,
                        const formats::ReadRequest& options) -> std::optional<std::pair<CloudShape, int>> {
    const auto cloud = formats::estimate_cloud(path, options);
    if (!cloud) return std::nullopt;
    return std::pair(CloudShape{cloud->points, cloud->is_float64, attribute_bytes(path, options, *cloud),
                                cloud->held_bytes, 0, bool{options.where}},
                     cloud->dimensions);
  };
  const auto data = shape(request.data, request.of_data);
  const auto query = request.query ? shape(*request.query, request.of_query) : data;
  if (!data || !query) return std::nullopt;
  const auto queries = request.query || request.grid_step ? std::optional(query->first) : std::nullopt;
  return search_shape(request.search, data->second, data->first, queries, request.products, 1, request.finds);
}

}  // namespace kann::flow
