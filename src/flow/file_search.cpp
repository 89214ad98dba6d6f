#include "flow/file_search.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "flow/exact.hpp"
#include "flow/periodic.hpp"
#include "flow/plan.hpp"
#include "flow/ranks/shares.hpp"
#include "flow/rows/sample_check.hpp"
#include "flow/sources/file_source.hpp"
#include "flow/sources/grid_source.hpp"
#include "flow/sources/same_clouds.hpp"
#include "formats/cloud_rows.hpp"
#include "problem/prepare.hpp"
#include "search/device_memory.hpp"
#include "search/warnings.hpp"

namespace kann::flow {
namespace {

/// Whether the files are so small that nothing need be known of them: most do, and are not looked at twice. How many
/// cells a grid has says no file.
bool is_surely_small(const FileRequest& request, const Budget& budget) {
  if (request.grid_step && request.budget) return false;
  constexpr double least_point = 4;  // bytes of a point in a file: those of a line of text
  double points = 0;
  for (const std::string* path : {&request.data, request.query ? &*request.query : nullptr}) {
    std::error_code error;
    if (path) points += static_cast<double>(std::filesystem::file_size(*path, error)) / least_point;
    if (error) return true;  // no file: it cannot be read twice, or at all
  }
  constexpr double most_attributes = 2 * least_point;  // bytes: in memory, a value may take more than in its file
  const CloudShape data{static_cast<std::int64_t>(points), true, most_attributes};
  const CloudShape query{data.points, false, most_attributes};
  SearchOptions search = request.search;
  search.invalid = InvalidPoints::skip;
  // In 3-D, it is the shifted sort more often
  return fits_in_memory(search_shape(search, 3, data, query, request.products), budget);
}

/// Bytes of the attributes of a point, at most, as far as the size of the file tells.
double attribute_bytes(const std::string& path, const ReadOptions& options, std::int64_t points) {
  if (options.attributes.empty() && !options.all_attributes) return 0;
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(path, error));
  return error || points == 0 ? 0 : 2 * bytes / static_cast<double>(points);
}

/// The shape as the heads of the files tell it. The cells of a grid are taken to be as many as the data points.
std::optional<SearchShape> shape_of(const FileRequest& request) {
  const auto shape = [](const std::string& path,
                        const ReadOptions& options) -> std::optional<std::pair<CloudShape, int>> {
    const auto cloud = estimate_cloud(path, options);
    if (!cloud) return std::nullopt;
    return std::pair(
        CloudShape{cloud->points, cloud->is_float64, attribute_bytes(path, options, cloud->points), cloud->held_bytes},
        cloud->dimensions);
  };
  const auto data = shape(request.data, request.of_data);
  const auto query = request.query ? shape(*request.query, request.of_query) : data;
  if (!data || !query) return std::nullopt;
  const auto queries = request.query || request.grid_step ? std::optional(query->first) : std::nullopt;
  return search_shape(request.search, data->second, data->first, queries, request.products);
}

/// Refuses a folder that has not so many bytes free, before work that would fail in its midst. A folder of which the
/// system does not say it passes. @throws Error resources.
void check_free_space(const std::string& folder, double bytes) {
  std::error_code error;
  const std::string named = folder.empty() ? "." : folder;
  const auto space = std::filesystem::space(named, error);
  if (error || static_cast<double>(space.available) >= bytes) return;
  throw Error(ErrorKind::resources,
              fmt::format("{}: temporary files need at least {}, {} are free; --temp-folder takes another folder",
                          named, base::bytes_text(bytes), base::bytes_text(static_cast<double>(space.available))));
}

/// How to ask for the exact search of this shape instead of the shifted sort, or what memory it needs at least.
std::string way_to_exact(const SearchOptions& search, SearchShape shape, const Budget& budget) {
  shape.shifts = 0;
  if (!piece_sizes(shape, budget) && !tile_sizes(shape, budget))
    return "--exact needs at least " + base::enough_text(smallest_budget(shape));
  const char* const given = search.window ? "--window" : search.shifts ? "--shifts" : search.bits ? "--bits" : nullptr;
  return given ? std::string("give --exact in the place of ") + given : "add --exact";
}

}  // namespace

void check_in_memory(const PointsView& data, const PointsView* queries, const SearchOptions& search, double budget) {
  const auto shape_of = [](const PointsView& points) {
    return CloudShape{points.size(), std::holds_alternative<std::span<const double>>(points.coordinates)};
  };
  const double bytes = bytes_in_memory(search_shape(search, data.dimensions, shape_of(data),
                                                    queries ? std::optional(shape_of(*queries)) : std::nullopt));
  if (bytes > budget)
    throw Error(ErrorKind::resources,
                fmt::format("host memory: the search needs about {}, --max-memory is {}; streams are not read in parts",
                            base::enough_text(bytes), base::bytes_text(budget)));
}

std::optional<FileSearch> FileSearch::plan(const FileRequest& request) {
  Communicator& ranks = request.ranks;
  const bool must = !ranks.is_alone() || request.budget || request.grid;  // be in tiles, or refused
  constexpr double any_device = 2e9;                                      // bytes that each has
  Budget budget;
  budget.host = request.budget.value_or(static_cast<double>(base::available_host_memory()) / ranks.host_size());
  std::optional<SearchShape> shape;
  if (ranks.is_alone() && !request.grid) {
    if (is_surely_small(request, {budget.host, any_device})) return std::nullopt;
    shape = shape_of(request);
    // With a budget, the files are opened to see their sizes
    if (!shape && !request.budget) return std::nullopt;
    const bool counts_cells = request.grid_step && request.budget;
    if (shape && !counts_cells && fits_in_memory(*shape, {budget.host, any_device})) return std::nullopt;
  }
  budget.device = detail::device_budget(request.search.device);
  if (std::isfinite(budget.device) && request.budget) budget.device = std::min(budget.device, *request.budget);
  // Or the tiles would not be the same
  budget = {std::ranges::min(ranks.gather_value(budget.host)), std::ranges::min(ranks.gather_value(budget.device))};
  if (shape && !request.grid_step && fits_in_memory(*shape, budget)) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    if (!ranks.is_alone()) throw Error(ErrorKind::usage, "several ranks: " + why);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const double bytes = bytes_in_memory(*shape);
    const std::string given = base::bytes_text(budget.host);
    const std::string excess =
        std::max(shape->data, shape->queries) > most ? fmt::format("more points than one search takes ({})", most)
        : bytes <= budget.host                       ? "device memory: the search needs more than there is"
                               : fmt::format("host memory: the search needs about {}, {}", base::enough_text(bytes),
                                             request.budget ? "--max-memory is " + given : given + " are free");
    throw Error(ErrorKind::resources, excess + "; " + why);
  };
  const bool is_paper = request.search.pipeline == Pipeline::paper;
  if (shape && !must && is_paper) return std::nullopt;

  FileSearch search(ranks);
  search.memory_ = std::make_unique<base::MemoryBudget>(budget.host);
  search.products_ = request.products;
  std::string unread;
  const auto open = [&](const std::string& path, const ReadOptions& options) {
    std::error_code ignored;
    search.written_.emplace_back(path, std::filesystem::last_write_time(path, ignored));
    formats::RowCloud cloud = formats::open_rows(path, options);
    if (!cloud.rows) {
      unread = fmt::format("{}: {} is read as a whole", path, cloud.obstacle);
      return std::unique_ptr<FileSource>();
    }
    std::ranges::move(cloud.warnings, std::back_inserter(search.file_warnings_));
    const std::int64_t n = cloud.rows->size();
    auto source = std::make_unique<FileSource>(path, std::move(cloud.rows), share_begin(n, ranks.size(), ranks.rank()),
                                               share_begin(n, ranks.size(), ranks.rank() + 1), options.threads,
                                               search.memory_.get());
    check_same(*source, ranks);
    return source;
  };
  search.data_ = open(request.data, request.of_data);
  if (request.query && search.data_) search.query_ = open(*request.query, request.of_query);
  if (!unread.empty()) {
    const bool is_known = !ranks.is_alone() || request.grid || shape;  // how much the search needs
    if (!must || !is_known) return std::nullopt;
    if (!shape) shape = shape_of(request).value_or(SearchShape());
    refuse(unread);
  }
  if (request.query)
    problem::check_dimensions(search.data_->dimensions(), search.data_->name(), search.query_->dimensions(),
                              search.query_->name());
  problem::check_sides(request.search, search.dimensions(), search.data_->name());
  if (request.grid_step) search.lay_grid(request);
  const SearchShape share = search.share_of(request);
  if (ranks.is_alone()) shape = share;
  if (is_paper) {
    if (!must) return std::nullopt;
    refuse(ranks.is_alone() ? "--pipeline paper is not made in tiles" : "--pipeline paper is made by one process");
  }
  if (ranks.is_alone() && !request.grid && fits_in_memory(share, budget)) return std::nullopt;
  auto sizes = piece_sizes(share, budget);
  search.is_in_pieces_ = sizes.has_value();
  if (!sizes && share.shifts > 0)
    refuse(
        (ranks.is_alone() ? "the shifted sort is not made in tiles; " : "the shifted sort is made by one process; ") +
        way_to_exact(request.search, share, budget));
  if (!sizes) sizes = tile_sizes(share, budget);
  const std::int64_t judged =
      request.judged.value_or(0) > 0 ? std::min(*request.judged, search.query_size()) : search.query_size();
  const double program = base::program_bytes(share.threads, !ranks.is_alone());
  const double to_judge = request.judged ? program + judging_bytes(judged, request.search.k) : 0;
  if (!sizes) {
    if (!must) return std::nullopt;
    throw Error(ErrorKind::resources, fmt::format("host memory: {} are too little; this search needs at least {}",
                                                  base::bytes_text(budget.host),
                                                  base::enough_text(std::max(smallest_budget(share), to_judge))));
  }
  if (to_judge > budget.host) {
    if (!must) return std::nullopt;
    const std::int64_t most = most_judged(budget.host - program, request.search.k);
    throw Error(ErrorKind::resources,
                fmt::format("host memory: {} are too little to judge {} queries, which takes {}{}",
                            base::bytes_text(budget.host), judged, base::enough_text(to_judge),
                            most > 0 ? fmt::format("; give --verify {}", most) : ""));
  }
  if (!search.is_in_pieces_) check_free_space(request.folder, temporary_bytes(share) - budget.host);
  search.options_ = {request.search, *sizes, request.folder, search.memory_.get()};
  return search;
}

void FileSearch::lay_grid(const FileRequest& request) {
  constexpr std::int64_t read_points = 1 << 16;
  const int threads = request.of_data.threads;
  grid_ = request.grid ? *request.grid
                       : grid_over(*data_, *request.grid_step, read_points, base::thread_count(threads), *ranks_);
  query_ = std::make_unique<GridSource>(data_->name(), *grid_, threads, memory_.get());
}

/// What a rank has of the search: the same for all ranks, though some may have more threads.
SearchShape FileSearch::share_of(const FileRequest& request) const {
  const int ranks = ranks_->size();
  const auto share = [&](const CloudSource& cloud) {
    return CloudShape{(cloud.size() + ranks - 1) / ranks, cloud.is_float64(),
                      bytes_per_point(cloud) - cloud.coordinate_bytes(), 0,
                      std::ranges::max(ranks_->gather_value(cloud.buffer_bytes()))};
  };
  SearchShape shape = search_shape(request.search, dimensions(), share(*data_),
                                   query_ ? std::optional(share(*query_)) : std::nullopt, request.products, ranks);
  shape.threads = std::ranges::max(ranks_->gather_value(shape.threads));
  if (const auto heads = ranks == 1 ? shape_of(request) : std::nullopt) shape.held_files = heads->held_files;
  return shape;
}

SearchReport FileSearch::run(const SearchOptions& search, const TakePiece& take) {
  base::return_freed_memory();
  options_.search = search;
  const problem::Problem p = parameters_of(search, dimensions());
  if (is_in_pieces_ && take) {
    report_ = in_pieces(*data_, *query_, options_, take);
  } else {
    TileAnswer answer = is_in_pieces_              ? in_kept_pieces(*data_, *query_, options_, *ranks_)
                        : !search.periodic.empty() ? periodic(*data_, query_.get(), options_, *ranks_)
                                                   : exact(*data_, queries_of(query_.get()), options_, *ranks_);
    rows_ = std::make_unique<RowStore>(std::move(answer.rows));
    base::return_freed_memory();  // 100,000 points per tile: the blocks that come now took 9 MB beside it
    report_ = std::move(answer.report);
    answer_ =
        std::make_unique<FileAnswer>(*data_, query_.get(), *rows_, (query_ ? report_.query : report_.data).invalid,
                                     *memory_, products_, base::thread_count(search.threads), *ranks_);
  }
  for (const auto& [path, before] : written_) {
    std::error_code ignored;
    if (std::filesystem::last_write_time(path, ignored) != before)
      throw Error(ErrorKind::bad_input, path + ": changed while it was searched");
  }
  SearchReport report = report_.last;
  const TileReport& tiles = report_;
  report.data_points = data_->size();
  report.query_points = query_size();
  const problem::Survey& of_queries = query_ ? tiles.query : tiles.data;
  report.data_skipped = tiles.data.invalid;
  report.query_skipped = of_queries.invalid;
  report.dimensions = dimensions();
  report.method = p.method;
  report.total_seconds = tiles.survey_seconds + tiles.order_seconds + tiles.search_seconds;
  const RowCounts& rows = tiles.rows;
  if (search.radius) {
    report.within_radius = rows.neighbors;
    report.full_rows = rows.full_rows;
  }
  const bool drops_self = !query_ && !search.include_self;
  const detail::AskedRows asked = {search.k,
                                   dimensions(),
                                   tiles.data,
                                   of_queries,
                                   drops_self,
                                   data_->name(),
                                   query_ ? query_->name() : "",
                                   !search.periodic.empty()};
  report.warnings = p.method == Method::exact
                        ? detail::row_warnings(asked, rows.past_float32)
                        : detail::shifted_warnings(asked, p, tiles.short_rows, rows.past_float32, report.sample);
  return report;
}

std::uint64_t FileSearch::hash_of(const CloudSource& cloud) const {
  std::uint64_t sum = 0;
  for (const std::uint64_t of_rank : ranks_->gather_value(cloud.hash())) sum += of_rank;
  return sum;
}

}  // namespace kann::flow
