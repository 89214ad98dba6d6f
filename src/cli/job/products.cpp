#include "cli/job/products.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "kann/cloud_file.hpp"
#include "kann/error.hpp"
#include "kann/histogram.hpp"
#include "kann/statistics.hpp"

#include "base/host_memory.hpp"
#include "base/memory_budget.hpp"
#include "base/scoped_timer.hpp"
#include "cli/asked/wanted_attributes.hpp"
#include "cli/job/grid_queries.hpp"
#include "cli/job/picture.hpp"
#include "cli/job/written_block.hpp"
#include "cli/report/facts_of.hpp"
#include "cli/report/summary.hpp"
#include "formats/files/free_space.hpp"
#include "formats/files/output_file.hpp"
#include "formats/files/refusal.hpp"
#include "formats/neighbors/neighbor_file.hpp"
#include "formats/table/attributes.hpp"
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

/// How many pairs of queries and data points there are: all neighbours are pairs.
PairFacts pairs_of(const RowBlocks& rows) {
  PairFacts facts;
  if (rows.lists) {
    rows.lists->for_each_begins([&](std::span<const std::int64_t> begins) {
      for (const std::int64_t begin : begins) facts.queries += begin > std::exchange(facts.pairs, begin);
    });
    return facts;
  }
  rows.for_each([&](const Rows& block) {
    for (std::int64_t i = 0; i < std::ssize(block.distances); ++i) {
      const bool is_pair = block.id(static_cast<std::size_t>(i)) != k_missing_id;
      facts.pairs += is_pair;
      facts.queries += is_pair && i % rows.k == 0;
    }
  });
  return facts;
}

/// The least bytes of a result with so many neighbours in rows of any length; 0 if it is no file. A line of text has no
/// fewer bytes, either: the shortest is "0,0,0,0" with its end.
double list_bytes(const Options& options, std::int64_t neighbors) {
  namespace fs = std::filesystem;
  std::error_code error;
  const bool is_file = options.writes_result() && options.output != "-" &&
                       (!fs::exists(options.output, error) || fs::is_regular_file(options.output, error));
  constexpr double bytes_per_neighbor = 8;
  return is_file ? bytes_per_neighbor * static_cast<double>(neighbors) : 0;
}

/// Refuses a result that is larger than what is free where it goes. A file system that does not say passes.
void check_disk_for_lists(const Options& options, std::int64_t neighbors) {
  const double bytes = list_bytes(options, neighbors);
  const std::optional<double> left =
      bytes > 0 ? formats::free_bytes(std::filesystem::path(options.output).parent_path()) : std::nullopt;
  if (left && bytes > *left)
    throw Error(
        ErrorKind::resources,
        fmt::format(
            "{}: {} neighbours within the radius need at least {}, {} are free; --stats without --output counts them",
            options.output, neighbors, base::bytes_text(bytes), base::bytes_text(*left)));
}

}  // namespace

void Products::make(const flow::Found& found, const ClusterLabels* labels) {
  found_ = &found;
  identify();
  if (asked_.pairs) job_.report.pairs = pairs_of(found.rows());
  compute_columns(labels);
  warn_of_lost_shifts();
  write_result();
  write_cloud();
  write_table();
  draw();
  if (found.rows().k > 0) measure(found.rows());
}

void Products::compute_columns(const ClusterLabels* labels) {
  const Options& options = job_.options;
  const auto make = [&] {
    columns_.emplace(ProductInput{options, *found_, labels, job_.io_threads, clouds_.memory()},
                     clouds_.temporary_folder());
  };
  if (!asked_.columns) return make();  // a cloud takes its columns from the rows alone
  const base::ScopedTimer timer(job_.report.column_seconds);
  job_.phase(!options.transfer.empty() ? "transfer" : !options.features.empty() ? "features" : "outliers");
  make();
  ColumnFacts& facts = job_.report.columns.emplace(columns_->facts());
  const std::int64_t left_out = job_.report.query->left_out;
  if (facts.without_neighbors > 0) facts.without_neighbors -= left_out;
  if (facts.outliers) facts.outliers->count -= left_out;
  if (facts.features && !shapes_of(options).empty()) facts.features->too_few -= left_out;
  job_.warn(warnings_of(options, facts, queries()));
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
  if (columns_) npz_columns_ = columns_->of_npz();
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
  const RowBlocks& rows = found_->rows();
  if (rows.lists) check_disk_for_lists(job_.options, rows.lists->neighbors);
  show_writing();
  const std::string meta = result_meta_json(job_.options, report);
  files_.result->write(job_.options.cluster ? RowBlocks{.queries = rows.queries, .for_each = {}} : with_vectors(rows),
                       job_.io_threads, extras(meta));
}

/// The rows, with the shifts and distances of float64 that the result has.
RowBlocks Products::with_vectors(const RowBlocks& rows) const {
  RowBlocks with = rows;
  if (!job_.options.writes_vectors()) return with;
  with.shift_numbers = job_.options.writes_shifts() ? found_->described_queries().points.dimensions : 0;
  with.has_float64_distances = job_.options.float64_distances;
  with.for_each = [this](const RowBlocks::Sink& sink) {
    found_->for_each({.queries = true, .data = true}, [&](const flow::FoundBlock& block) {
      const NeighborVectors vectors = vectors_of(job_.options, block, job_.io_threads);
      const base::MemoryCharge charge(clouds_.memory(), static_cast<double>(std::span(vectors.shifts).size_bytes() +
                                                                            std::span(vectors.distances).size_bytes()));
      Rows some = block.rows;
      some.shifts = vectors.shifts;
      some.float64_distances = vectors.distances;
      sink(some);
    });
  };
  return with;
}

/// Warns of what a result leaves out that its format has no place for.
void Products::warn_of_lost_shifts() {
  const Options& options = job_.options;
  if (options.search.images == Images::all && options.writes_result() && !options.writes_shifts() && !options.join)
    job_.warn(options.output + ": has no place for the shifts of images; .npz, .csv and .tsv have");
}

void Products::write_part(const RowBlocks& rows) {
  identify();
  const base::ScopedTimer timer(job_.report.write_seconds);
  show_writing();
  job_.report.first_row = rows.first;
  const std::string meta = result_meta_json(job_.options, job_.report);
  files_.result->write(rows, job_.io_threads, extras(meta));
}

void Products::check_disk(const flow::CountedLists& counted, const std::string& folder) const {
  const Options& options = job_.options;
  double bytes = counted.temporary_bytes;
  if (counted.is_exact && !options.counts_only()) {
    check_disk_for_lists(options, counted.neighbors);
    if (formats::are_on_one_disk(folder, std::filesystem::path(options.output).parent_path()))
      bytes += list_bytes(options, counted.neighbors);
  }
  formats::check_temporary_folder(folder, bytes);
}

bool Products::reserve_rows(std::int64_t queries, std::int64_t k) {
  if (!files_.result || asked_.needs_rows(*job_.options.output_format)) return false;
  if (auto place = formats::PlacedRows::in(*files_.result, queries, k, job_.io_threads))
    place_.emplace(*std::move(place));
  return place_.has_value();
}

void Products::join_written() {
  identify();
  {
    const base::ScopedTimer timer(job_.report.write_seconds);
    show_writing();
    const std::string meta = result_meta_json(job_.options, job_.report);
    place_->finish(extras(meta));
  }
  if (!asked_.statistics) return;
  const double taken = base::program_bytes(job_.io_threads, false) +
                       statistics::statistics_bytes(job_.options.search.k, job_.io_threads);
  const double limit = clouds_.memory()->limit();
  const double bytes = std::clamp(std::min(limit / 16, limit - taken), 0x1p16, 0x1p26);
  const base::MemoryCharge charge(clouds_.memory(), bytes);
  measure(place_->written_rows(bytes));
}

/// How many queries a cloud has.
std::int64_t Products::kept_queries() const {
  if (!chooses_queries(job_.options)) return found_->query_count();
  std::int64_t kept = 0;
  found_->for_each({.queries = true},
                   [&](const flow::FoundBlock& block) { kept += std::ranges::count(columns_->kept_rows(block), 1); });
  return kept;
}

void Products::report_kept(std::int64_t queries) {
  const Options& options = job_.options;
  if (!options.keep) return;
  job_.report.kept = queries;
  if (queries == 0 && this->queries() > 0)
    job_.warn(options.writes_table()
                  ? fmt::format("--keep '{}': no line meets it; {} has none", options.keep.text, options.output)
                  : fmt::format("--keep '{}': no point meets it; {} has none", options.keep.text, options.output));
}

void Products::write_cloud() {
  if (!files_.cloud) return;
  const Options& options = job_.options;
  const base::ScopedTimer timer(job_.report.write_seconds);
  show_writing();
  const bool holds_text = options.cloud_format == CloudFormat::csv;
  std::vector<std::string> lost, warnings;
  const std::vector<std::string> coordinates = coordinate_names(options, job_.report);
  const WrittenColumns written{options.attributes,
                               coordinates.empty() ? std::vector<std::string>{"x", "y", "z"} : coordinates, holds_text,
                               options.output};
  const std::int64_t kept = kept_queries();
  report_kept(kept);
  const CloudBlocks cloud{kept,
                          [&](const CloudBlocks::Sink& sink) {
                            found_->for_each({.queries = true}, [&](const flow::FoundBlock& block) {
                              const WrittenBlock made(block.queries, columns_->written(block),
                                                      columns_->kept_rows(block), written);
                              lost = made.lost();
                              sink(made.view());
                            });
                          },
                          coordinates, found_->described_queries().decimals};
  job_.warn(files_.cloud->write(cloud, job_.io_threads));
  for (std::string& name : lost) name = formats::quote(name) + " is text, which cloud-csv holds";
  formats::warn_of_left_out(lost, options.output, warnings);
  job_.warn(warnings);
}

/// Writes the table of pairs.
void Products::write_table() {
  if (!files_.table) return;
  const base::ScopedTimer timer(job_.report.write_seconds);
  show_writing();
  const Options& options = job_.options;
  PairTable table(options, *found_, *columns_, *files_.table, job_.io_threads);
  found_->for_each({.queries = options.join || chooses_queries(options) || options.writes_vectors(),
                    .data = options.join || options.writes_vectors()},
                   [&](const flow::FoundBlock& block) { table.add(block); });
  report_kept(table.kept_queries());
  files_.table->finish();
}

void Products::draw() try {
  if (!asked_.picture) return;
  const Options& options = job_.options;
  const std::string name = drawn_for(options);
  const base::ScopedTimer timer(job_.report.draw_seconds);
  job_.phase("draw " + name);
  const base::MemoryCharge charge(clouds_.memory(), picture_bytes(options));
  const RenderResult drawn = draw_picture(options, *found_, *columns_, job_.report, job_.io_threads);
  RenderCounts& picture = job_.report.picture.emplace(drawn);
  picture.left_out -= job_.report.query->left_out;
  if (picture.left_out > 0)
    job_.warn(
        fmt::format("{}: {} of {} points left out: they have no neighbour, or NaN or infinite coordinates or values",
                    name, picture.left_out, queries()));
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
  job_.report.statistics->empty_rows -= job_.report.query->left_out;
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
