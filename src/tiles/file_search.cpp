#include "tiles/file_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <system_error>
#include <utility>
#include <variant>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "io/points/cloud_rows.hpp"
#include "problem/parameters.hpp"
#include "problem/prepare.hpp"
#include "search/device_memory.hpp"
#include "search/warnings.hpp"
#include "tiles/bytes_text.hpp"
#include "tiles/exact.hpp"
#include "tiles/free_space.hpp"
#include "tiles/periodic.hpp"
#include "tiles/sample_check.hpp"
#include "tiles/shifted_sort.hpp"

namespace kann::tiles {
namespace {

/// So many bytes or some more: what it says, as an option, is enough.
std::string enough_text(double bytes) {
  double unit = bytes < 1e9 ? 1e4 : 1e7;  // for three digits at most
  while (bytes >= 1000 * unit) unit *= 10;
  return bytes_text(std::ceil(bytes / unit) * unit);
}

problem::Problem parameters(const SearchOptions& search, int dimensions) {
  problem::Problem p;
  p.dimensions = dimensions;
  problem::choose_parameters(search, p);
  return p;
}

bool is_float64(const PointsView& points) {
  return std::holds_alternative<std::span<const double>>(points.coordinates);
}

/// Sets of what type the points are, and whether some may be skipped.
void set_points(bool data_is_float64, bool query_is_float64, const SearchOptions& search, SearchShape& shape) {
  shape.is_float64 = data_is_float64 || query_is_float64;
  shape.is_mixed = data_is_float64 != query_is_float64;
  shape.may_skip = search.invalid == InvalidPoints::skip;
}

/// Sets what the memory depends on beside the points: the box, and the shifted sort, if it is the method. The
/// dimensions are known.
void add_method(const SearchOptions& search, SearchShape& shape) {
  shape.is_periodic = !search.periodic.empty();
  problem::Problem p = parameters(search, shape.dimensions);
  if (p.method == Method::exact) return;
  p.data_count = shape.data * shape.ranks;
  shape.shifts = p.shifts;
  shape.window = std::min(p.window, p.data_count);
  shape.list_size = p.shifted_list_size();
}

/// Whether the files are so small that nothing need be known of them: most do, and are not looked at twice.
bool is_surely_small(const FileRequest& request, const Budget& budget) {
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
  shape.is_float64 = shape.is_mixed = shape.may_skip = true;
  add_method(request.search, shape);  // in 3-D: there, it is the shifted sort more often
  return fits_in_memory(shape, budget);
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
  set_points(data->is_float64, query->is_float64, request.search, shape);
  shape.is_self = !request.query;
  add_method(request.search, shape);
  return shape;
}

/// Why so many queries are not judged in the budget; empty if they are.
std::string obstacle_to_judging(const FileRequest& request, std::int64_t queries, double budget) {
  if (!request.judged) return "";
  const std::int64_t wanted = *request.judged > 0 ? std::min(*request.judged, queries) : queries;
  const std::int64_t most = most_judged(budget, request.search.k);
  if (wanted <= most) return "";
  if (most == 0) return "there is no memory for --verify";
  return fmt::format("--verify judges {} queries in so much memory, not {}: give --verify {}", most, wanted, most);
}

/// Why the search cannot be made in tiles; empty if it can.
std::string obstacle(const FileRequest& request, std::int64_t queries, double budget) {
  if (request.search.pipeline == Pipeline::paper) return "--pipeline paper is not made in tiles";
  if (!request.beside.empty())
    return request.beside + (request.ranks.is_alone() ? " is not made in tiles" : " is made by one process");
  return obstacle_to_judging(request, queries, budget);
}

/// What a rank sees of a cloud, to tell it from another.
struct Seen {
  std::int64_t points;
  std::uint64_t hash;  ///< of points from places all over it

  bool operator==(const Seen&) const = default;
};

Seen look_at(const FileSource& cloud) {
  constexpr std::int64_t most = 64;
  Seen seen{cloud.size(), 0};
  const auto add = [&](std::int64_t, const PointsView& points) {
    for (std::int64_t i = 0; i < points.size(); ++i)
      for (int a = 0; a < points.dimensions; ++a)
        seen.hash = (seen.hash ^ std::bit_cast<std::uint64_t>(points.at(i, a))) * 0x100000001b3;
  };
  constexpr std::int64_t places = 256;
  for (std::int64_t i = 0; i <= places; ++i) {
    const std::int64_t first = std::max<std::int64_t>(0, cloud.size() - most) / places * i;
    cloud.for_each_block(first, std::min(cloud.size(), first + most), most, add);
  }
  return seen;
}

/// Refuses clouds that are not the same for all ranks, as on hosts whose folders differ.
void check_same(const FileSource& cloud, comm::Communicator& ranks) {
  if (ranks.is_alone()) return;
  const std::vector<Seen> seen = ranks.gather_value(look_at(cloud));
  for (std::size_t r = 1; r < seen.size(); ++r)
    if (seen[r] != seen[0])
      throw Error(ErrorKind::bad_input, fmt::format("{}: rank {} sees another file than rank 0 ({} points, and {})",
                                                    cloud.name(), r, seen[r].points, seen[0].points));
}

}  // namespace

void check_in_memory(const PointsView& data, const PointsView* queries, const SearchOptions& search, double budget) {
  SearchShape shape;
  shape.data = data.size();
  shape.queries = queries ? queries->size() : data.size();
  shape.k = search.k;
  shape.dimensions = data.dimensions;
  set_points(is_float64(data), is_float64(queries ? *queries : data), search, shape);
  shape.is_self = !queries;
  add_method(search, shape);
  if (bytes_in_memory(shape) > budget)
    throw Error(ErrorKind::resources,
                fmt::format("host memory: the search needs about {}, --max-memory is {}; streams are not read in parts",
                            bytes_text(bytes_in_memory(shape)), bytes_text(budget)));
}

std::optional<FileSearch> FileSearch::plan(const FileRequest& request) {
  comm::Communicator& ranks = request.ranks;
  const bool must = !ranks.is_alone() || request.budget;  // be in tiles, or refused
  constexpr double any_device = 2e9;                      // bytes that each has
  Budget budget;
  budget.host = request.budget.value_or(static_cast<double>(base::available_host_memory()) / ranks.host_size());
  std::optional<SearchShape> shape;
  if (ranks.is_alone()) {
    if (is_surely_small(request, {budget.host, any_device})) return std::nullopt;
    shape = shape_of(request);
    if (!shape || fits_in_memory(*shape, {budget.host, any_device})) return std::nullopt;
  }
  budget.device = detail::device_budget(request.search.device);
  if (std::isfinite(budget.device) && request.budget) budget.device = std::min(budget.device, *request.budget);
  // Or the tiles would not be the same
  budget = {std::ranges::min(ranks.gather_value(budget.host)), std::ranges::min(ranks.gather_value(budget.device))};
  if (shape && fits_in_memory(*shape, budget)) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    if (!ranks.is_alone()) throw Error(ErrorKind::usage, "several ranks: " + why);
    throw Error(ErrorKind::resources, fmt::format("host memory: the search needs about {}, --max-memory is {}; {}",
                                                  bytes_text(bytes_in_memory(*shape)), bytes_text(budget.host), why));
  };

  if (shape && !must && !obstacle(request, shape->queries, budget.host).empty()) return std::nullopt;

  FileSearch search(ranks);
  std::string unread;
  const auto open = [&](const std::string& path, const ReadOptions& options, std::vector<std::string>& columns) {
    std::error_code ignored;
    search.written_.emplace_back(path, std::filesystem::last_write_time(path, ignored));
    io::RowCloud cloud = io::open_rows(path, options);
    if (!cloud.rows) {
      unread = fmt::format("{}: {} is read as a whole", path, cloud.obstacle);
      return std::unique_ptr<FileSource>();
    }
    columns = std::move(cloud.columns);
    std::ranges::move(cloud.warnings, std::back_inserter(search.file_warnings_));
    auto source = std::make_unique<FileSource>(path, std::move(cloud.rows));
    check_same(*source, ranks);
    return source;
  };
  search.data_ = open(request.data, request.of_data, search.data_columns_);
  if (request.query && search.data_) search.query_ = open(*request.query, request.of_query, search.query_columns_);
  if (!unread.empty()) {
    if (!must) return std::nullopt;
    refuse(unread);
  }
  if (request.query)
    problem::check_dimensions(search.data_->dimensions(), search.data_->name(), search.query_->dimensions(),
                              search.query_->name());
  problem::check_sides(request.search, search.dimensions(), search.data_->name());
  if (const std::string why = obstacle(request, search.query_size(), budget.host); !why.empty()) {
    if (!must) return std::nullopt;
    refuse(why);
  }
  const SearchShape share = search.share_of(ranks.size(), request.search);
  if (ranks.is_alone() && fits_in_memory(share, budget)) return std::nullopt;
  auto sizes = piece_sizes(share, budget);
  search.is_in_pieces_ = sizes.has_value();
  if (!sizes) sizes = tile_sizes(share, budget);
  if (!sizes) {
    if (!must) return std::nullopt;
    throw Error(ErrorKind::resources, fmt::format("host memory: {} are too little; this search needs at least {}",
                                                  bytes_text(budget.host), enough_text(smallest_budget(share))));
  }
  if (!search.is_in_pieces_) check_free_space(request.folder, temporary_bytes(share) - budget.host);
  search.options_ = {request.search, *sizes, request.folder};
  search.budget_ = budget.host;
  return search;
}

/// What a rank has of the search.
SearchShape FileSearch::share_of(int ranks, const SearchOptions& search) const {
  SearchShape shape;
  shape.data = (data_->size() + ranks - 1) / ranks;
  shape.queries = (query_size() + ranks - 1) / ranks;
  shape.k = search.k;
  shape.dimensions = data_->dimensions();
  set_points(data_->is_float64(), (query_ ? *query_ : *data_).is_float64(), search, shape);
  shape.is_self = !query_;
  shape.ranks = ranks;
  add_method(search, shape);
  return shape;
}

SearchReport FileSearch::run(const SearchOptions& search, const TakePiece& take) {
  base::return_freed_memory();
  options_.search = search;
  const problem::Problem p = parameters(search, dimensions());
  if (is_in_pieces_ && take) {
    report_ = in_pieces(*data_, *query_, options_, take);
  } else {
    TileAnswer answer = is_in_pieces_               ? in_kept_pieces(*data_, *query_, options_, *ranks_)
                        : !search.periodic.empty()  ? periodic(*data_, query_.get(), options_, *ranks_)
                        : p.method == Method::exact ? exact(*data_, query_.get(), options_, *ranks_)
                                                    : shifted_sort(*data_, query_.get(), options_, *ranks_);
    rows_ = std::make_unique<RowStore>(std::move(answer.rows));
    report_ = std::move(answer.report);
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
  report.data_skipped = tiles.data_skipped;
  report.query_skipped = query_ ? tiles.query_skipped : tiles.data_skipped;
  report.dimensions = dimensions();
  report.method = p.method;
  report.total_seconds = tiles.survey_seconds + tiles.order_seconds + tiles.search_seconds;
  const std::int64_t valid = data_->size() - tiles.data_skipped, queries = query_size() - report.query_skipped;
  const RowCounts& rows = tiles.rows;
  if (search.radius) {
    report.within_radius = rows.neighbors;
    report.full_rows = rows.full_rows;
  }
  const detail::AskedRows asked = {
      search.k, valid, queries, !query_ && !search.include_self, tiles.data_skipped > 0, search.data_name};
  report.warnings = p.method == Method::exact
                        ? detail::row_warnings(asked, rows.past_float32)
                        : detail::shifted_warnings(asked, p, tiles.short_rows, rows.past_float32, report.sample);
  return report;
}

Accuracy FileSearch::measure_sample(std::int64_t sample, const AccuracyOptions& options) const {
  return tiles::measure_sample({*data_, query_.get(), *rows_, query_ ? report_.query_skipped : report_.data_skipped,
                                sample > 0 ? sample : query_size(), budget_},
                               options, *ranks_);
}

RowBlocks FileSearch::rows() const {
  const RowStore& rows = *rows_;
  return {rows.queries(), rows.k(), rows.has_wide_ids(), [&rows](const RowBlocks::Sink& sink) {
            rows.for_each_block([&](std::int64_t, auto ids, auto distances) { sink(ids, distances); });
          }};
}

RowBlocks FileSearch::own_rows(std::int64_t& first) const {
  const RowStore& rows = *rows_;
  first = rows.first_row(ranks_->rank());
  return {rows.first_row(ranks_->rank() + 1) - first, rows.k(), rows.has_wide_ids(),
          [&rows](const RowBlocks::Sink& sink) {
            rows.for_each_own_block([&](std::int64_t, auto ids, auto distances) { sink(ids, distances); });
          },
          first};
}

}  // namespace kann::tiles
