#include "cli/job/products.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <span>
#include <utility>

#include "kann/cloud_file.hpp"
#include "kann/error.hpp"
#include "kann/histogram.hpp"
#include "kann/statistics.hpp"

#include "base/memory_budget.hpp"
#include "base/scoped_timer.hpp"
#include "cli/job/grid_queries.hpp"
#include "cli/job/pair_facts.hpp"
#include "cli/job/picture.hpp"
#include "cli/job/written_block.hpp"
#include "cli/job/written_columns.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/summary.hpp"
#include "formats/files/output_file.hpp"
#include "formats/neighbors/neighbor_file.hpp"
#include "products/statistics/statistics_bytes.hpp"

namespace kann::cli {

namespace {

/// The file that the picture is for.
std::string drawn_for(const Options& o) { return o.picture.value_or(o.html.value_or("")); }

/// The names of the coordinates in the file of the queries, or of the data that a grid is over; none if the file has
/// none, or only the numbers of its columns were given. Those that were converted to degrees have other names.
std::vector<std::string> coordinate_names(const Options& options, const Report& report) {
  const std::vector<std::string>& names = (options.grid ? report.data : report.query)->columns;
  const bool have_numbers = std::ranges::any_of(
      names, [](const std::string& name) { return name.find_first_not_of("0123456789") == std::string::npos; });
  if (options.sky && std::ranges::any_of(names, [](const std::string& name) { return degrees_per_unit(name) != 1; }))
    return {"lon", "lat"};
  return have_numbers ? std::vector<std::string>() : names;
}

}  // namespace

void Products::make(const flow::Answer& found) {
  found_ = &found;
  blocks_ = &found;
  identify();
  if (asked_.pairs) job_.report.pairs = pairs_of(found_->rows());
  compute_columns();
  write_result();
  write_cloud();
  if (files_.table) {
    const base::ScopedTimer timer(job_.report.write_seconds);
    write_table([&](JoinedTable& table) {
      found_->for_each({.queries = true, .data = true}, [&](const flow::AnswerBlock& block) { table.add(block); });
    });
  }
  draw();
  measure(found.rows());
}

void Products::compute_columns() {
  if (!asked_.columns && !asked_.cloud) return;
  const Options& options = job_.options;
  const auto make = [&] {
    OutlierLimits limits;
    if (options.outliers) limits = outlier_limits(found_->rows(), *options.outliers, job_.io_threads);
    columns_.emplace(options, *blocks_, limits, job_.io_threads, clouds_.temporary_folder(), clouds_.memory());
  };
  if (!asked_.columns) return make();  // a cloud takes its columns from the rows alone
  const base::ScopedTimer timer(job_.report.column_seconds);
  job_.phase(!options.transfer.empty() ? "transfer" : !options.features.empty() ? "features" : "outliers");
  make();
  job_.report.columns = columns_->facts();
  job_.warn(warnings_of(options, *job_.report.columns, blocks_->query_count()));
}

/// A result on stdout may appear in the terminal that has the progress line.
void Products::show_writing() {
  Progress* const progress = job_.messages.progress();
  if (!progress) return;
  if (job_.options.output == "-") return progress->clear();
  progress->phase("write " + job_.options.output);
  if (files_.result && progress->is_shown()) files_.result->report_progress(progress->of_bytes());
}

/// What an npz has beside the rows. `meta` must outlive it.
ResultExtras Products::extras(const std::string& meta) {
  if (job_.options.output_format != NeighborFormat::npz) return {.meta_json = meta};
  if (columns_) npz_columns_ = npz_columns(*columns_, *blocks_);
  if (job_.report.grid) globals_ = grid_arrays(*job_.report.grid);
  return {meta, npz_columns_, globals_};
}

void Products::identify() const {
  if (job_.options.output_format == NeighborFormat::npz && job_.options.writes_result()) clouds_.identify();
}

void Products::write_result() {
  Report& report = job_.report;
  if (job_.options.output_per_rank) return;
  if (!files_.result) {
    if (!report.write_seconds) report.write_seconds = report.sync_seconds = 0;
    return;
  }
  const base::ScopedTimer timer(report.write_seconds);
  show_writing();
  const std::string meta = result_meta_json(job_.options, report);
  files_.result->write(found_->rows(), job_.io_threads, extras(meta));
}

void Products::write_part(const RowBlocks& rows) {
  identify();
  const base::ScopedTimer timer(job_.report.write_seconds);
  show_writing();
  job_.report.first_row = rows.first;
  const std::string meta = result_meta_json(job_.options, job_.report);
  files_.result->write(rows, job_.io_threads, extras(meta));
}

void Products::write_found(formats::PlacedRows place, const RowBlocks& search) {
  place_.emplace(std::move(place)).write(search, job_.io_threads);
}

void Products::join_written() {
  identify();
  {
    const base::ScopedTimer timer(job_.report.write_seconds);
    show_writing();
    const std::string meta = result_meta_json(job_.options, job_.report);
    place_->finish(extras(meta), job_.io_threads);
  }
  if (!asked_.statistics) return;
  const double bytes = std::min(0x1p26, clouds_.memory()->limit() / 16);
  const base::MemoryCharge charge(clouds_.memory(), bytes);
  measure(place_->written_rows(bytes, job_.io_threads));
}

void Products::write_cloud() {
  if (!files_.cloud) return;
  const Options& options = job_.options;
  const base::ScopedTimer timer(job_.report.write_seconds);
  show_writing();
  const auto left_out_of = [&](const flow::AnswerBlock& block) {
    return left_out(options, block.neighbors, columns_->of_block(block.number).is_outlier);
  };
  std::int64_t dropped = 0;
  if (options.drop_outliers || options.join)
    blocks_->for_each({}, [&](const flow::AnswerBlock& block) {
      const std::vector<std::uint8_t> left = left_out_of(block);
      dropped += std::ranges::count(left, 1);
    });
  const CloudBlocks cloud{blocks_->query_count() - dropped,
                          [&](const CloudBlocks::Sink& sink) {
                            blocks_->for_each({.queries = true}, [&](const flow::AnswerBlock& block) {
                              std::vector<Attribute> columns = cloud_columns(*columns_, block, job_.io_threads);
                              sink(WrittenBlock(block.queries, std::move(columns), left_out_of(block)).view());
                            });
                          },
                          coordinate_names(options, job_.report), blocks_->described_queries().decimals};
  job_.warn(files_.cloud->write(cloud, job_.io_threads));
}

/// Writes the table of --join, whose lines `add` adds.
void Products::write_table(const std::function<void(JoinedTable&)>& add) {
  show_writing();
  const bool is_in_memory = !clouds_.are_in_files();
  JoinedTable table(job_.options, is_in_memory ? clouds_.query_cloud() : found_->described_queries(),
                    is_in_memory ? clouds_.data_cloud() : found_->described_data(), *files_.table, job_.io_threads);
  add(table);
  files_.table->finish();
}

void Products::draw() try {
  if (!asked_.picture) return;
  const Options& options = job_.options;
  const std::string name = drawn_for(options);
  const base::ScopedTimer timer(job_.report.draw_seconds);
  job_.phase("draw " + name);
  const base::MemoryCharge charge(clouds_.memory(), picture_bytes(options));
  const RenderResult drawn =
      draw_picture(options, *blocks_, columns_ ? &*columns_ : nullptr, job_.report, job_.io_threads);
  job_.report.picture = drawn;
  if (drawn.left_out > 0)
    job_.warn(
        fmt::format("{}: {} of {} points left out: they have no neighbour, or NaN or infinite coordinates or values",
                    name, drawn.left_out, blocks_->query_count()));
  std::string png = png_bytes(drawn.image);
  if (files_.picture) {
    files_.picture->write(formats::as_bytes(png));
    files_.picture->finish();
  }
  if (options.has_page) job_.report.picture_png = std::move(png);
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::resources,
              drawn_for(job_.options) + ": not enough host memory to draw it; take a smaller --picture-size");
}

/// Makes the statistics, and the histogram of the page.
void Products::measure(const RowBlocks& rows) {
  if (!asked_.statistics) return;
  job_.phase("statistics");
  const DensityBall ball = job_.options.density_ball(job_.report.query->dimensions);
  const base::MemoryCharge charge(clouds_.memory(), statistics::statistics_bytes(rows.k, job_.io_threads));
  job_.report.statistics = distance_statistics(rows, ball, job_.io_threads);
  const bool has_page = job_.options.has_page && job_.options.html;
  if (!has_page) return;
  std::string svg = histogram_svg(rows, *job_.report.statistics, quality_text(job_.options, job_.report));
  if (has_page) job_.report.histogram_svg = std::move(svg);
}

void Products::publish() {
  if (files_.result || files_.cloud || files_.table) publish_result();
  if (files_.picture) publish_picture();
  if (Progress* const progress = job_.messages.progress()) progress->clear();
}

void Products::publish_picture() {
  try {
    files_.picture->publish();
  } catch (const formats::OutputNotSynced&) {
    job_.report.picture_written = true;
    throw;
  }
  job_.report.picture_written = true;
}

void Products::publish_result() {
  Report& report = job_.report;
  const base::ScopedTimer timer(report.write_seconds), sync_timer(report.sync_seconds);
  try {
    if (files_.table)
      files_.table->publish();
    else
      files_.cloud ? files_.cloud->commit() : files_.result->commit();
  } catch (const formats::OutputNotSynced&) {
    report.output_written = true;
    throw;
  }
  report.output_written = true;
}

}  // namespace kann::cli
