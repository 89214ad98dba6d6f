#include "tiles/file_search.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <system_error>
#include <utility>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "problem/parameters.hpp"
#include "search/warnings.hpp"

namespace kann::tiles {
namespace {

std::string bytes_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.3g} MB", bytes / 1e6) : fmt::format("{:.3g} GB", bytes / 1e9);
}

[[noreturn]] void refuse(const SearchShape& shape, double budget, const std::string& why) {
  throw Error(ErrorKind::resources, fmt::format("host memory: the search needs about {}, --max-memory is {}; {}",
                                                bytes_text(bytes_in_memory(shape)), bytes_text(budget), why));
}

/// Whether the files are so small that nothing need be known of them: most do, and are not looked at twice.
bool is_surely_small(const FileRequest& request, double budget) {
  constexpr double least_point = 4;  // bytes of a point in a file: those of a line of text
  double points = 0;
  for (const std::string* path : {&request.data, request.query ? &*request.query : nullptr}) {
    std::error_code error;
    if (path) points += static_cast<double>(std::filesystem::file_size(*path, error)) / least_point;
    if (error) return true;  // no file: it cannot be read twice, or at all
  }
  SearchShape shape;
  shape.data = shape.queries = static_cast<std::int64_t>(points);
  shape.k = request.search.k;
  shape.is_float64 = true;
  return bytes_in_memory(shape) <= budget;
}

std::optional<SearchShape> shape_of(const FileRequest& request) {
  const auto data = estimate_cloud(request.data, request.of_data);
  const auto query = request.query ? estimate_cloud(*request.query, request.of_query) : data;
  if (!data || !query) return std::nullopt;
  SearchShape shape;
  shape.data = data->points;
  shape.queries = query->points;
  shape.k = request.search.k;
  shape.dimensions = data->dimensions;
  shape.is_self = !request.query;
  return shape;
}

bool is_exact(const SearchOptions& search, int dimensions) {
  problem::Problem p;
  p.dimensions = dimensions;
  problem::choose_parameters(search, p);
  return p.method == Method::exact;
}

/// Why the search cannot be made in tiles; empty if it can.
std::string obstacle(const FileRequest& request, int dimensions) {
  if (!is_exact(request.search, dimensions)) return "only exact searches are made in tiles: give --exact";
  if (!request.search.periodic.empty() || request.search.radius)
    return "searches with --radius or --periodic are not made in tiles";
  if (!request.is_result_alone) return "in tiles, nothing but the neighbours is written";
  return "";
}

}  // namespace

std::optional<FileSearch> FileSearch::plan(const FileRequest& request) {
  const double budget = request.budget ? *request.budget : static_cast<double>(base::available_host_memory());
  if (is_surely_small(request, budget)) return std::nullopt;
  std::optional<SearchShape> shape = shape_of(request);
  if (!shape) return std::nullopt;
  if (bytes_in_memory(*shape) <= budget) return std::nullopt;
  if (const std::string why = obstacle(request, shape->dimensions); !why.empty()) {
    if (!request.budget) return std::nullopt;
    refuse(*shape, budget, why);
  }

  FileSearch search;
  const auto open = [&](const std::string& path, const ReadOptions& options, std::vector<std::string>& columns) {
    auto rows = io::CloudRows::open(path, options);
    if (!rows) return std::unique_ptr<FileSource>();
    columns = rows->columns();
    std::error_code ignored;
    search.written_.emplace_back(path, std::filesystem::last_write_time(path, ignored));
    return std::make_unique<FileSource>(std::move(*rows));
  };
  search.data_ = open(request.data, request.of_data, search.data_columns_);
  if (request.query) search.query_ = open(*request.query, request.of_query, search.query_columns_);
  if (!search.data_ || (request.query && !search.query_)) {
    if (!request.budget) return std::nullopt;
    refuse(*shape, budget,
           (search.data_ ? *request.query : request.data) +
               " is read as a whole; binary PLY without lists, NPY and LAS are read in parts");
  }
  if (request.query && search.data_->dimensions() != search.query_->dimensions()) return std::nullopt;  // refused there
  shape->is_float64 = search.data_->is_float64() || (search.query_ && search.query_->is_float64());
  const auto sizes = tile_sizes(*shape, budget);
  if (!sizes) {
    if (!request.budget) return std::nullopt;
    throw Error(ErrorKind::resources, fmt::format("host memory: {} are too little; this search needs at least {}",
                                                  bytes_text(budget), bytes_text(smallest_budget(*shape))));
  }
  search.options_ = {request.search, *sizes, request.folder};
  return search;
}

SearchReport FileSearch::run(const SearchOptions& search) {
  options_.search = search;
  answer_ = std::make_unique<TileAnswer>(exact(*data_, query_.get(), options_));
  for (const auto& [path, before] : written_) {
    std::error_code ignored;
    if (std::filesystem::last_write_time(path, ignored) != before)
      throw Error(ErrorKind::bad_input, path + ": changed while it was searched");
  }
  SearchReport report = answer_->report.last;
  const TileReport& tiles = answer_->report;
  report.data_points = data_->size();
  report.query_points = query_size();
  report.data_skipped = tiles.data_skipped;
  report.query_skipped = query_ ? tiles.query_skipped : tiles.data_skipped;
  report.dimensions = dimensions();
  report.method = Method::exact;
  report.total_seconds = tiles.survey_seconds + tiles.order_seconds + tiles.search_seconds;
  const std::int64_t valid = data_->size() - tiles.data_skipped, queries = query_size() - report.query_skipped;
  report.warnings = detail::row_warnings(
      {search.k, valid, queries, !query_ && !search.include_self, tiles.data_skipped > 0, search.data_name}, {});
  return report;
}

RowBlocks FileSearch::rows() const {
  const RowStore& rows = answer_->rows;
  return {rows.queries(), rows.k(), data_->size() > std::numeric_limits<std::int32_t>::max(),
          [&rows](const RowBlocks::Sink& sink) {
            rows.for_each_block([&](std::int64_t, auto ids, auto distances) { sink(ids, distances); });
          }};
}

}  // namespace kann::tiles
