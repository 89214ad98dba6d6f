#include "flow/file_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "flow/rows/sample_check.hpp"
#include "flow/tile_sizes.hpp"
#include "formats/cloud_rows.hpp"
#include "formats/files/free_space.hpp"
#include "problem/prepare.hpp"
#include "problem/sky.hpp"
#include "search/devices/device_memory.hpp"

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

/// What a rank has of the search: the same for all ranks, though some may have more threads.
/// @param held SearchShape::held_files
SearchShape share_of(const FileRequest& request, const FileClouds& clouds, double held) {
  Communicator& ranks = request.ranks;
  const auto share = [&](const CloudSource& cloud, const formats::ReadRequest& options) {
    return CloudShape{(cloud.size() + ranks.size() - 1) / ranks.size(),           cloud.is_float64(),
                      bytes_per_point(cloud) - cloud.coordinate_bytes(),          0,
                      std::ranges::max(ranks.gather_value(cloud.buffer_bytes())), bool{options.where}};
  };
  SearchShape shape = search_shape(request.search, clouds.data->dimensions(), share(*clouds.data, request.of_data),
                                   clouds.query ? std::optional(share(*clouds.query, request.of_query)) : std::nullopt,
                                   request.products, ranks.size(), request.finds);
  shape.threads = std::ranges::max(ranks.gather_value(shape.threads));
  shape.products.fixed = std::ranges::max(ranks.gather_value(shape.products.fixed));  // only rank 0 has a report
  shape.texts =
      std::ranges::max(ranks.gather_value(text_bytes(*clouds.data) + (clouds.query ? text_bytes(*clouds.query) : 0)));
  shape.held_files = held;
  return shape;
}

/// One request on its way to a plan. What cannot be made from files is left to memory, where nothing forbids that.
class Planner {
 public:
  explicit Planner(const FileRequest& request)
      : request_(request),
        ranks_(request.ranks),
        is_alone_(ranks_.is_alone()),
        may_be_in_memory_(is_alone_ && !request.budget && !request.grid),
        host_(request.budget.value_or(static_cast<double>(base::available_host_memory()) / ranks_.host_size())) {}

  std::optional<FilePlan> plan() {
    if (is_left_to_memory()) return std::nullopt;
    find_budget();
    FilePlan plan{&ranks_, std::make_unique<base::MemoryBudget>(budget_.host), {}, {}, request_.products};
    plan.clouds = open_clouds(request_, *plan.memory);
    if (!plan.clouds.obstacle.empty()) return leave_unread(plan.clouds.obstacle);
    shape_ = share_of(request_, plan.clouds, shape_ ? shape_->held_files : 0);
    const std::optional<FileSearchSizes> sizes = decide(plan.clouds.queries().size());
    if (!sizes) return std::nullopt;
    plan.is_in_pieces = sizes->tile_points == 0;
    plan.options = {request_.search, *sizes, request_.folder, plan.memory.get()};
    plan.options.may_skip = shape_->may_skip;
    plan.memory->set_spare(spare(*sizes));
    plan.device = device_;
    return plan;
  }

  SearchOutline outline() {
    SearchOutline outline{.heads = look_at_heads(request_)};
    try {
      return outline_of(std::move(outline));
    } catch (const Error& error) {
      // Nobody has counted the cells of a grid yet, and they may be few
      if (!request_.grid_step || error.kind() != ErrorKind::resources) throw;
    }
    return {.heads = look_at_heads(request_), .budget = budget_.host, .device = device_};
  }

 private:
  SearchOutline outline_of(SearchOutline outline) {
    if (!is_left_to_memory()) outline.sizes = outline_in_files(outline.heads.have_places);
    if (!shape_) shape_ = shape_of_heads(request_);
    find_budget();
    outline.shape = shape_;
    outline.budget = budget_.host;
    outline.device = device_;
    if (!shape_) return outline;
    outline.bytes = outline.sizes ? bytes_from_files(*shape_, *outline.sizes) : bytes_in_memory(*shape_);
    if (!outline.sizes) {
      if (request_.finds == Finds::rows) base::check_result_size(shape_->queries, request_.search.k);
      return outline;
    }
    if (outline.sizes->tile_points > 0) {
      outline.tiles = static_cast<std::int64_t>(tiles_of(*shape_, *outline.sizes));
      if (request_.finds == Finds::rows) outline.temporary_bytes = temporary_bytes(*shape_);
    } else {
      const std::int64_t each = outline.sizes->piece_queries;
      outline.pieces = std::max<std::int64_t>(1, (shape_->queries + each - 1) / each);
    }
    return outline;
  }

  /// Bytes of the budget that the search leaves for temporary files.
  double spare(const FileSearchSizes& sizes) const {
    return std::max(0.0, budget_.host - bytes_from_files(*shape_, sizes));
  }

  bool is_approximate() const { return request_.search.method != Method::exact; }

  bool is_left_to_memory() {
    return (may_be_in_memory_ && is_approximate()) || (is_alone_ && !request_.grid && heads_leave_it_to_memory());
  }

  /// The sizes of tiles or pieces for the shape; none: the search is made in memory.
  std::optional<FileSearchSizes> decide(std::int64_t queries) {
    if (auto sizes = pieces_to_write()) return sizes;
    if (is_alone_ && !request_.grid && fits_in_memory(*shape_, budget_)) return std::nullopt;
    if (is_approximate())
      refuse(fmt::format("--method {} searches {}; leave it out for the exact answer", name_of(request_.search.method),
                         is_alone_ ? "in memory" : "in one process"),
             bytes_in_memory(*shape_));
    if (!request_.only_in_memory.empty())
      refuse(request_.only_in_memory + (is_alone_ ? " not made in tiles" : " made by one process"),
             bytes_in_memory(*shape_));

    std::optional<FileSearchSizes> sizes = piece_sizes(*shape_, budget_);
    if (!sizes) sizes = pieces_on_gpus();
    if (!sizes) sizes = tile_sizes(*shape_, budget_);
    const double to_judge = request_.judged ? judging(judged_of(queries)) : 0;
    if (may_be_in_memory_ && (!sizes || to_judge > budget_.host)) return std::nullopt;
    const double in_memory =
        is_alone_ && !request_.grid ? bytes_in_memory(*shape_) : std::numeric_limits<double>::infinity();
    if (!sizes) refuse_budget(std::min(in_memory, std::max(smallest_budget(*shape_), to_judge)));
    if (to_judge > budget_.host) refuse_to_judge(judged_of(queries), std::min(in_memory, to_judge));
    if (sizes->tile_points > 0)
      formats::check_temporary_folder(request_.folder, temporary_bytes(*shape_) - spare(*sizes));
    return sizes;
  }

  /// The pieces of a search whose rows are only written, where these are many: the host has a few of them at a time,
  /// and is spared the pages of all. (2²³ queries, k = 8, two threads: 2.4 → 2.1 s, 1.34 → .75 GB.)
  std::optional<FileSearchSizes> pieces_to_write() {
    if (!request_.only_writes_rows || !request_.only_in_memory.empty() || request_.grid || is_approximate())
      return std::nullopt;
    if (!are_many_rows(shape_->queries, shape_->k)) return std::nullopt;
    const auto on_gpus = shape_->is_on_gpu ? std::nullopt : pieces_on_gpus();
    return on_gpus ? on_gpus : piece_sizes(*shape_, budget_);
  }

  bool may_write_in_pieces() {
    find_budget();
    const SearchShape shape = *shape_;
    const bool may = pieces_to_write().has_value();
    shape_ = shape;
    device_ = {};
    return may;
  }

  /// The pieces with which the data fit GPUs that the options leave a choice of, but not their orders the host's
  /// memory.
  std::optional<FileSearchSizes> pieces_on_gpus() {
    if (!is_alone_ || shape_->is_sky) return std::nullopt;
    const detail::SearchSize size{shape_->data, shape_->queries, shape_->dimensions, shape_->is_self};
    device_ = detail::choose_cuda_for_parts(size, request_.search);
    if (!device_.is_chosen()) return std::nullopt;
    shape_->is_on_gpu = true;
    auto sizes = piece_sizes(*shape_, {budget_.host, detail::device_budget(device_.choice)});
    if (sizes) return sizes;
    shape_->is_on_gpu = false;
    device_ = {};
    return std::nullopt;
  }

  /// decide() with the shape that plan() has where the heads say where the points are, else with what they suggest.
  /// Nothing that is read before is charged: no points are.
  std::optional<FileSearchSizes> outline_in_files(bool has_places) {
    find_budget();
    if (!has_places) {
      if (!shape_) shape_ = shape_of_heads(request_);
      return shape_ ? decide(shape_->queries) : std::nullopt;
    }
    base::MemoryBudget memory(budget_.host);
    const FileClouds clouds = open_clouds(request_, memory);
    if (!clouds.obstacle.empty()) {
      leave_unread(clouds.obstacle);
      return std::nullopt;
    }
    shape_ = share_of(request_, clouds, shape_ ? shape_->held_files : 0);
    return decide(clouds.queries().size());
  }

  /// Whether what the heads of the files tell suffices to know that the search fits in memory, or that nobody can say.
  /// With a budget it does not: the files are opened, since only their rows say how many there are.
  bool heads_leave_it_to_memory() {
    if (are_surely_small(request_, host_)) return true;
    shape_ = shape_of_heads(request_);
    if (request_.budget || (shape_ && may_write_in_pieces())) return false;
    return !shape_ || fits_in_memory(*shape_, {host_, k_least_device}) ||
           fits_in_memory(*shape_, {host_, device_bytes()});
  }

  double device_bytes() const {
    const double bytes = detail::device_budget(request_.search.device);
    return std::isfinite(bytes) && request_.budget ? std::min(bytes, *request_.budget) : bytes;
  }

  /// The least of all ranks, or their tiles would not be the same.
  void find_budget() {
    budget_ = {std::ranges::min(ranks_.gather_value(host_)), std::ranges::min(ranks_.gather_value(device_bytes()))};
  }

  std::optional<FilePlan> leave_unread(const std::string& obstacle) {
    const bool is_known = !is_alone_ || request_.grid || shape_;  // how much the search needs
    if (may_be_in_memory_ || !is_known) return std::nullopt;
    if (!shape_) shape_ = shape_of_heads(request_).value_or(SearchShape());
    // The cells of a grid are counted when the data are in memory: they are planned then, if they do not fit
    if (!request_.grid && is_alone_ && fits_in_memory(*shape_, budget_)) return std::nullopt;
    refuse(obstacle, bytes_in_memory(*shape_));
  }

  /// @param bytes that the search needs at least
  [[noreturn]] void refuse(const std::string& why, double bytes) const {
    if (!is_alone_) throw Error(ErrorKind::usage, "several ranks: " + why);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::string given = base::bytes_text(budget_.host);
    const std::string excess =
        std::max(shape_->data, shape_->queries) > most ? fmt::format("more points than one search takes ({})", most)
        : bytes <= budget_.host                        ? "device memory: the search needs more than there is"
                                : fmt::format("host memory: the search needs about {}, {}", base::enough_text(bytes),
                                              request_.budget ? "--max-memory is " + given : given + " are free");
    throw Error(ErrorKind::resources, excess + "; " + why);
  }

  [[noreturn]] void refuse_budget(double least) const {
    throw Error(ErrorKind::resources, fmt::format("host memory: {} is too little; this search needs at least {}",
                                                  base::bytes_text(budget_.host), base::enough_text(least)));
  }

  std::int64_t judged_of(std::int64_t queries) const {
    const std::int64_t asked = *request_.judged;
    return asked > 0 ? std::min(asked, queries) : queries;
  }

  double program() const { return base::program_bytes(shape_->threads, !is_alone_); }

  /// Bytes of memory that it takes to judge so many queries.
  double judging(std::int64_t queries) const { return program() + judging_bytes(queries, request_.search.k); }

  [[noreturn]] void refuse_to_judge(std::int64_t queries, double needed) const {
    const std::int64_t most = most_judged(budget_.host - program(), request_.search.k);
    throw Error(ErrorKind::resources, fmt::format("host memory: {} is too little to judge {} queries, which takes {}{}",
                                                  base::bytes_text(budget_.host), queries, base::enough_text(needed),
                                                  most > 0 ? fmt::format("; give --verify {}", most) : ""));
  }

  const FileRequest& request_;
  Communicator& ranks_;
  const bool is_alone_, may_be_in_memory_;
  const double host_;  // bytes of memory that this rank may take
  Budget budget_;
  std::optional<SearchShape> shape_;  // as far as it is known
  detail::DeviceForParts device_;
};

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

std::optional<FilePlan> plan_files(const FileRequest& request) { return Planner(request).plan(); }

SearchOutline outline_search(const FileRequest& request) { return Planner(request).outline(); }

double checked_bytes_in_memory(const PointsView& data, const PointsView* queries, const SearchOptions& search,
                               const ProductShape& products, double budget, Finds finds) {
  const auto shape_of = [](const PointsView& points) {
    return CloudShape{points.size(), std::holds_alternative<std::span<const double>>(points.coordinates)};
  };
  const auto query = queries ? std::optional(shape_of(*queries)) : std::nullopt;
  const double bytes =
      bytes_in_memory(search_shape(search, data.dimensions, shape_of(data), query, products, 1, finds));
  if (bytes > budget)
    throw Error(ErrorKind::resources, fmt::format("host memory: the search needs about {}, --max-memory is {}; a "
                                                  "stream or a compressed file is searched in memory",
                                                  base::enough_text(bytes), base::bytes_text(budget)));
  return bytes;
}

}  // namespace kann::flow
