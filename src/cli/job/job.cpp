#include "cli/job/job.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <future>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "kann/error.hpp"
#include "kann/histogram.hpp"
#include "kann/statistics.hpp"

#include "base/scoped_timer.hpp"
#include "cli/job/grid_queries.hpp"
#include "cli/job/picture.hpp"
#include "cli/job/wanted_attributes.hpp"
#include "cli/job/written_block.hpp"
#include "cli/process/background.hpp"
#include "cli/report/statistics_table.hpp"
#include "cli/report/summary.hpp"
#include "io/files/output_file.hpp"

namespace kann::cli {

void Job::phase(const std::string& name) {
  if (Progress* const progress = messages_.progress()) progress->phase(name);
}

/// Prints a warning and adds it to the report; does nothing if it was given before.
void Job::warn(const std::string& message) {
  if (std::ranges::find(report_.warnings, message) != report_.warnings.end()) return;
  report_.warnings.push_back(message);
  messages_.warning(message);
}

void Job::read_clouds(std::shared_ptr<const LoadedData> data) {
  const base::ScopedTimer timer(report_.read_seconds);
  phase("read " + options_.data);
  if (options_.query && FileState(options_.data).is_same(FileState(*options_.query)))
    warn(
        fmt::format("--query {} is the data: each point is its own nearest neighbour; without --query, its neighbours "
                    "are others",
                    *options_.query));
  auto [of_data, of_query] = read_options_of(options_);
  of_data.threads = of_query.threads = io_threads_;
  if (plan_tiles(of_data, of_query)) return;
  Progress* const progress = messages_.shown_progress();
  if (progress) of_data.on_progress = of_query.on_progress = progress->of_bytes();
  const bool is_read = data && data->is_still(options_.data, of_data);
  std::future<ReadCloud> query;
  const auto query_bytes = std::make_shared<BytesRead>();
  if (options_.query && !is_read && can_read_concurrently(options_.data, *options_.query)) {
    if (progress) of_query.on_progress = [query_bytes](auto done, auto total) { query_bytes->set(done, total); };
    query = in_background([path = *options_.query, of_query] { return read_cloud(path, of_query); });
  }

  data_ = is_read ? std::move(data) : std::make_shared<const LoadedData>(options_.data, of_data);
  report_.read_data_seconds = is_read ? 0 : data_->read_seconds;
  for (const std::string& message : data_->warnings) warn(message);
  report_.data = data_->facts;
  check_transferred(options_, data_->cloud());
  if (options_.self_query()) {
    report_.query = report_.data;
    return read_reference();
  }
  if (options_.grid) {
    lay_grid();
    return read_reference();
  }
  phase("read " + *options_.query);
  constexpr auto interval = std::chrono::milliseconds(100);
  while (progress && query.valid() && query.wait_for(interval) == std::future_status::timeout)
    progress->update(query_bytes->amount());
  ReadCloud queries = query.valid() ? query.get() : read_cloud(*options_.query, of_query);
  report_.read_query_seconds = queries.seconds;
  for (const std::string& message : queries.cloud.warnings) warn(message);
  query_ = std::move(queries.cloud);
  report_.query = CloudFacts{*options_.query, query_.points.size(), query_.points.dimensions, query_.columns};
  if (options_.search.include_self) warn("--include-self changes nothing with --query");
  read_reference();
}

/// Determines the grid. Its cells are made by search(), so that a batch can wait until there is memory for them.
void Job::lay_grid() {
  report_.grid = grid_of(options_, data_->points(), io_threads_);
  report_.query = CloudFacts{options_.data, report_.grid->size(), report_.grid->dimensions};
  if (options_.search.include_self) warn("--include-self changes nothing with --grid");
}

/// Called before the search, so that a file that does not belong to the clouds is refused at once.
void Job::read_reference() {
  if (!options_.compare) return;
  phase("read " + *options_.compare);
  std::string meta;
  reference_ = read_neighbors(*options_.compare, &meta);
  identify_clouds();
  claims_ = check_reference_meta(meta, options_, report_, *options_.compare);
  for (const std::string& message : claims_.warnings) warn(message);
  check_reference(reference_, report_.query->points, data_->points().size(), *options_.compare);
  check_reference_size(reference_.k, options_, report_, *options_.compare);
}

/// Computes the hashes of the clouds, for the result and to compare with those in an earlier one. The cells of a grid
/// need none: step, shape and origin identify them.
void Job::identify_clouds() {
  report_.data->hash = data_->hash(io_threads_);
  if (options_.self_query())
    report_.query->hash = report_.data->hash;
  else if (!report_.grid)
    report_.query->hash = coordinates_hash(query_.points, 0, io_threads_);
}

SearchResult Job::search_once(const SearchOptions& options) const {
  return options_.self_query() ? search_self(data_->points(), options)
                               : kann::search(data_->points(), query_.points, options);
}

SearchResult Job::search_by_index(const SearchOptions& options) const {
  const Index& index = data_->index({options.invalid, options.threads, options.data_name});
  return options_.self_query() ? index.search_self(options) : index.search(query_.points, options);
}

/// A function that shows how many queries have been searched; empty if no progress is shown.
std::function<void(std::string_view, double)> Job::progress_of(std::int64_t queries) const {
  Progress* const progress = messages_.shown_progress();
  if (!progress) return nullptr;
  return [progress, count = static_cast<double>(queries)](std::string_view, double fraction) {
    progress->update({fraction * count, count, k_queries});
  };
}

void Job::search(const StartUp& start_up, bool by_index) {
  if (report_.grid) query_.points = centers_of(options_, *report_.grid, search_options_.threads);
  phase("search");
  SearchOptions& options = search_options_;
  options.start_up = start_up;
  if (tiled_) return search_parts();
  const auto is_stream = [](const std::string& path) {
    return is_stdin(path) || !std::filesystem::is_regular_file(path);
  };
  if (options_.max_memory && (is_stream(options_.data) || (options_.query && is_stream(*options_.query)))) {
    const PointsView data = data_->points(), query = queries();
    tiles::check_in_memory(data, options_.self_query() ? nullptr : &query, options, *options_.max_memory);
  }
  options.data_name = options_.data == "-" ? "stdin" : options_.data;
  const std::string& query = options_.query.value_or(options_.data);
  options.query_name = query == "-" ? "stdin" : query;
  options.on_progress = progress_of(queries().size());
  std::optional<double> seconds;
  bool writes = false;
  if (files_.result)
    options.on_rows = [&](const Neighbors& rows, std::int64_t ids, std::int64_t distances) {
      writes = true;
      files_.result->write_ahead(rows, ids, distances, io_threads_);
    };
  SearchResult result = [&] {
    const base::ScopedTimer timer(seconds);
    return by_index ? search_by_index(options) : search_once(options);
  }();
  options.on_rows = nullptr;
  if (writes) report_.write_seconds = std::max(0.0, *seconds - result.report.total_seconds);
  neighbors_ = std::move(result.neighbors);
  report_.search = std::move(result.report);
  for (const std::string& message : report_.search->warnings) warn(message);
}

void Job::answer() {
  if (!options_.outliers && options_.transfer.empty()) return;
  const base::ScopedTimer timer(report_.answer_seconds);
  phase(options_.transfer.empty() ? "outliers" : "transfer");
  answers_ = make_answers(options_, {data_->cloud(), query_cloud(), neighbors_}, io_threads_);
  report_.answers = facts_of(options_, answers_);
  for (const std::string& message : warnings_of(options_, *report_.answers, queries().size())) warn(message);
}

/// A result on stdout may appear in the terminal that has the progress line.
void Job::show_writing() {
  Progress* const progress = messages_.progress();
  if (!progress) return;
  if (options_.output == "-") return progress->clear();
  progress->phase("write " + options_.output);
  if (files_.result && progress->is_shown()) files_.result->report_progress(progress->of_bytes());
}

void Job::write() {
  if (tiled_ && options_.writes_result()) {
    const base::ScopedTimer timer(report_.write_seconds);
    show_writing();
    return write_tiled_rows();
  }
  if (!files_.result && !files_.cloud) {
    report_.write_seconds = report_.sync_seconds = 0;
    return;
  }
  const base::ScopedTimer timer(report_.write_seconds);
  show_writing();
  if (files_.cloud) {
    const WrittenBlock block(query_cloud(), cloud_columns(answers_, neighbors_, queries().dimensions, io_threads_),
                             options_.drop_outliers ? std::span<const std::uint8_t>(answers_.outliers->is_outlier)
                                                    : std::span<const std::uint8_t>());
    const auto [points, attributes, las] = block.view();
    for (const std::string& message : files_.cloud->write(points, attributes, las, io_threads_)) warn(message);
    return;
  }
  const bool is_npz = options_.output_format == NeighborFormat::npz;
  if (is_npz) identify_clouds();
  const auto extras = is_npz ? npz_extras(answers_, neighbors_) : std::vector<Attribute>();
  const auto globals = is_npz && report_.grid ? grid_arrays(*report_.grid) : std::vector<Attribute>();
  files_.result->write(neighbors_, result_meta_json(options_, report_), io_threads_, extras, globals);
}

/// Whether this rank computes statistics: only rank 0 has files for the report and the histogram.
bool Job::wants_statistics() const {
  return options_.stats || options_.verbose || options_.json || options_.report || files_.histogram;
}

void Job::measure() {
  if (files_.picture) draw();
  if (!ranks_.any(wants_statistics())) return;
  phase("statistics");
  if (tiled_) return measure_own_rows();
  report_.statistics = distance_statistics(neighbors_, queries().dimensions, io_threads_);
  if (files_.histogram)
    write_histogram(histogram_svg(neighbors_, *report_.statistics, quality_text(options_, *report_.search)));
}

void Job::write_histogram(const std::string& svg) {
  files_.histogram->write(io::as_bytes(svg));
  files_.histogram->finish();
}

void Job::draw() try {
  const base::ScopedTimer timer(report_.draw_seconds);
  phase("draw " + *options_.picture);
  const auto own = own_attributes_of_picture(options_, query_cloud());
  const RenderResult drawn =
      draw_picture(options_, {queries(), neighbors_, own, answers_.transferred, answers_.outliers}, io_threads_);
  report_.picture = PictureFacts{drawn.drawn, drawn.outside, drawn.left_out};
  if (drawn.left_out > 0)
    warn(fmt::format("{}: {} of {} points left out: NaN or infinite", *options_.picture, drawn.left_out,
                     queries().size()));
  files_.picture->write(io::as_bytes(png_bytes(drawn.image)));
  files_.picture->finish();
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources,
              *options_.picture + ": not enough host memory to draw it; take a smaller --picture-size");
}

void Job::publish() {
  if (files_.result || files_.cloud) publish_result();
  publish_picture(files_.histogram.get(), report_.histogram_written);
  publish_picture(files_.picture.get(), report_.picture_written);
  if (Progress* const progress = messages_.progress()) progress->clear();
}

void Job::publish_picture(io::OutputFile* file, bool& is_written) {
  if (!file) return;
  try {
    file->publish();
  } catch (const io::OutputNotSynced&) {
    is_written = true;
    throw;
  }
  is_written = true;
}

void Job::publish_result() {
  const base::ScopedTimer timer(report_.write_seconds), sync_timer(report_.sync_seconds);
  try {
    files_.cloud ? files_.cloud->commit() : files_.result->commit();
  } catch (const io::OutputNotSynced&) {
    report_.output_written = true;
    throw;
  }
  report_.output_written = true;
}

void Job::summarise() const {
  messages_.info(summary_line(options_, report_));
  for (const std::string& line : detail_lines(options_, *report_.search)) messages_.detail(line);
  if (report_.tiles) messages_.detail(tiles_line(*report_.tiles));
  if (!report_.statistics) return;
  const bool is_asked_for = options_.stats && options_.writes_result();  // else stdout has the table, or --verbose
  constexpr std::size_t columns = 73;  // together with the prefix of messages, one less than a terminal has
  const std::string quality = quality_text(options_, *report_.search);
  for (const std::string& line : statistics_table(*report_.statistics, report_.query->dimensions, quality, columns))
    is_asked_for ? messages_.info(line) : messages_.detail(line);
}

}  // namespace kann::cli
