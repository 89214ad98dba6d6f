#include "cli/job/clouds.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <string>
#include <utility>

#include "kann/compare.hpp"
#include "kann/error.hpp"
#include "kann/sky.hpp"

#include "base/scoped_timer.hpp"
#include "cli/asked/products_asked.hpp"
#include "cli/asked/wanted_attributes.hpp"
#include "cli/job/grid_queries.hpp"
#include "cli/options/output_path.hpp"
#include "cli/process/background.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/coordinate_system.hpp"

namespace kann::cli {
namespace {

std::string temporary_folder_of(const Options& options) {
  if (options.temp_folder) return *options.temp_folder;
  if (options.output == "-") {
    std::error_code none;  // what is written there says so
    return std::filesystem::temp_directory_path(none).string();
  }
  const std::filesystem::path folder = std::filesystem::path(options.output).parent_path();
  return (options.plan && options.makes_folder ? nearest_folder(folder) : folder).string();  // the run makes it
}

}  // namespace

std::optional<std::string> Clouds::temporary_folder() const {
  return files_ ? std::optional(temporary_folder_of(job_.options)) : std::nullopt;
}

flow::FileRequest Clouds::file_request() const {
  const Options& o = job_.options;
  auto [of_data, of_query] = read_options_of(o);
  of_data.threads = of_query.threads = job_.io_threads;
  return {.ranks = job_.ranks,
          .data = o.data,
          .query = o.query,
          .grid_step = o.grid,
          .grid = {},
          .of_data = of_data,
          .of_query = of_query,
          .search = o.search,
          .budget = o.max_memory,
          .judged = o.verify ? std::optional(o.verify_sample) : std::nullopt,
          .finds = finds(o),
          .only_writes_rows = only_writes_rows(o) && !o.is_batch_job,
          .only_in_memory = o.group                     ? "--group is"
                            : o.other_group             ? "--other-group is"
                            : o.join && o.all_neighbors ? "--join with --k all is"
                            : o.radius_name             ? "--radius NAME is"
                            : o.has_limits()            ? "--min-radius is"
                            : o.match                   ? "--match is"
                                                        : "",
          .products = product_shape(o),
          .folder = temporary_folder_of(o)};
}

/// Whether the search is made from files; the report then has what is known of them.
bool Clouds::plan_files(const flow::FileRequest& request) {
  std::optional<flow::FilePlan> plan = flow::plan_files(request);
  if (!plan) return false;
  files_.emplace(std::move(*plan));
  const Options& options = job_.options;
  const flow::CloudSource &data = files_->data(), &queries = files_->queries();
  compare_systems(data.described(), queries.described());
  job_.warn(files_->file_warnings());
  check_data(options, data.described());
  check_texts(options, data.described(), queries.described());
  check_columns(options, data.described(), queries.described());
  Report& report = job_.report;
  report.data = CloudFacts{options.data,
                           data.size(),
                           data.dimensions(),
                           data.described().columns,
                           {},
                           formats::system_text(data.described().system)};
  report.grid = files_->grid();
  report.query = options.self_query() ? *report.data
                                      : CloudFacts{options.query.value_or(options.data), queries.size(),
                                                   queries.dimensions(), queries.described().columns};
  return true;
}

flow::SearchOutline Clouds::outline() const {
  const Options& options = job_.options;
  flow::SearchOutline outline = flow::outline_search(file_request());
  const flow::FileHeads& heads = outline.heads;
  if (!heads.data) return outline;
  check_data(options, *heads.data);
  check_texts(options, *heads.data, options.self_query() ? *heads.data : heads.query.value_or(Cloud()));
  if (options.self_query() || heads.query) check_columns(options, *heads.data, heads.query.value_or(*heads.data));
  return outline;
}

void Clouds::read(std::shared_ptr<const LoadedData> earlier) {
  const Options& options = job_.options;
  Report& report = job_.report;
  const base::ScopedTimer timer(report.read_seconds);
  job_.phase("read " + options.data);
  const bool are_others = options.where.text != options.query_where.text || options.other_group;
  if (options.query && options.query_columns.empty() && !are_others &&
      FileState(options.data).is_same(FileState(*options.query)))
    job_.warn(
        fmt::format("--query {} is the data: each point is its own nearest neighbour; without --query, its neighbours "
                    "are others",
                    *options.query));
  read_or_plan(std::move(earlier));
  for (const CloudFacts* const facts : {&*report.data, &*report.query})
    if (facts->points == 0 && (facts == &*report.data || !options.grid))
      job_.warn((facts->path == "-" ? "stdin" : facts->path) + " has no points");
  const bool has_self = options.self_query() && !options.half_pairs;
  if (options.search.include_self && !has_self)
    job_.warn(fmt::format("--include-self changes nothing with {}", options.half_pairs ? "--pairs half"
                                                                    : options.grid     ? "--grid"
                                                                                       : "--query"));
}

void Clouds::read_or_plan(std::shared_ptr<const LoadedData> earlier) {
  const Options& options = job_.options;
  Report& report = job_.report;
  const flow::FileRequest request = file_request();
  if (plan_files(request)) return;

  formats::ReadRequest of_data = request.of_data, of_query = request.of_query;
  Progress* const progress = job_.messages.shown_progress();
  if (progress) of_data.on_progress = of_query.on_progress = progress->of_bytes();
  const bool is_read = earlier && earlier->is_still(options.data, of_data);
  std::future<ReadCloud> query;
  const auto query_bytes = std::make_shared<BytesRead>();
  if (options.query && !is_read && can_read_concurrently(options.data, *options.query)) {
    if (progress) of_query.on_progress = [query_bytes](auto done, auto total) { query_bytes->set(done, total); };
    query = in_background([path = *options.query, of_query] { return read_cloud(path, of_query); });
  }

  data_ = is_read ? std::move(earlier) : std::make_shared<const LoadedData>(options.data, of_data);
  report.read_data_seconds = is_read ? 0 : data_->read_seconds;
  job_.warn(data_->warnings);
  report.data = data_->facts;
  check_data(options, data_->cloud());
  warn_of_unit(data_->cloud().points, options.data);
  if (options.has_page) report.survey = problem::survey(data_->cloud().points, job_.io_threads);
  if (options.self_query()) report.query = report.data;
  if (options.grid) lay_grid();
  if (data_) check_texts(options, data_->cloud(), options.query ? Cloud() : data_->cloud());
  if (data_) compare_systems(data_->cloud(), query_);
  if (options.self_query()) check_columns(options, data_->cloud(), data_->cloud());
  if (!options.query) return;

  job_.phase("read " + *options.query);
  constexpr auto interval = std::chrono::milliseconds(100);
  while (progress && query.valid() && query.wait_for(interval) == std::future_status::timeout)
    progress->update(query_bytes->amount());
  ReadCloud queries = query.valid() ? query.get() : read_cloud(*options.query, of_query);
  report.read_query_seconds = queries.seconds;
  query_ = std::move(queries.cloud);
  compare_systems(data_->cloud(), query_);
  job_.warn(query_.warnings);
  check_texts(options, data_->cloud(), query_);
  check_columns(options, data_->cloud(), query_);
  warn_of_unit(query_.points, *options.query);
  report.query = CloudFacts{*options.query, query_.points.size(), query_.points.dimensions, query_.columns};
}

/// Finds the unit of distances, and warns if the clouds are in different coordinate systems.
void Clouds::compare_systems(const Cloud& data, const Cloud& queries) {
  const Options& options = job_.options;
  const std::string units[] = {formats::unit_of(data.system), formats::unit_of(queries.system)};
  const bool are_units_different = !units[0].empty() && !units[1].empty() && units[0] != units[1];
  job_.report.unit = options.sky           ? std::string(name_of(*options.search.sky))
                     : options.unit        ? *options.unit
                     : are_units_different ? ""
                     : units[0].empty()    ? units[1]
                                           : units[0];
  const std::optional<int> numbers[] = {data.system ? data.system->epsg : std::nullopt,
                                        queries.system ? queries.system->epsg : std::nullopt};
  const bool are_numbers_different = numbers[0] && numbers[1] && numbers[0] != numbers[1];
  const auto frame = [](const Cloud& cloud) {
    return cloud.columns.empty() ? std::string_view() : formats::frame_of(cloud.columns[0]);
  };
  const std::string_view frames[] = {frame(data), frame(queries)};
  const bool are_frames_different = !frames[0].empty() && !frames[1].empty() && frames[0] != frames[1];
  if (!are_units_different && !are_numbers_different && !are_frames_different) return;
  const auto name = [&](int i) {
    if (are_frames_different) return fmt::format("{} coordinates", frames[i]);
    return are_numbers_different ? fmt::format("EPSG:{}", *numbers[i]) : units[i];
  };
  job_.warn_first(
      fmt::format("{} is in {}, but {} is in {}: distances between them mean nothing; transform one of them",
                  options.data, name(0), *options.query, name(1)));
}

/// With --sky, warns if the coordinates of a cloud are no degrees.
void Clouds::warn_of_unit(const PointsView& points, const std::string& file) {
  if (!job_.options.sky) return;
  if (const auto warning = angle_warning(points, file)) job_.warn(*warning);
}

/// Determines the grid. Its cells are made for the search, so that a batch can wait until there is memory for them. If
/// memory does not suffice for all of them, they are made in blocks.
void Clouds::lay_grid() {
  Report& report = job_.report;
  report.grid = grid_of(job_.options, data_->points(), job_.io_threads);
  report.query = CloudFacts{job_.options.data, report.grid->size(), report.grid->dimensions};
  try {
    check_cells_fit(job_.options, *report.grid);
  } catch (const Error& too_many) {
    flow::FileRequest request = file_request();
    request.grid = report.grid;
    try {
      plan_files(request);
    } catch (const Error&) {
      throw too_many;
    }
    data_.reset();
  }
}

void Clouds::make_cells(int threads) {
  if (job_.report.grid) query_.points = centers_of(job_.options, *job_.report.grid, threads);
}

void Clouds::identify() const {
  CloudFacts &data = *job_.report.data, &query = *job_.report.query;
  if (data.hash) return;
  data.hash = files_ ? files_->data_hash() : data_->hash(job_.io_threads);
  if (job_.options.self_query())
    query.hash = data.hash;
  else if (!job_.report.grid)
    query.hash = files_ ? files_->query_hash() : coordinates_hash(query_.points, 0, job_.io_threads);
}

}  // namespace kann::cli
