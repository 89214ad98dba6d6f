// The steps of a job whose search does not fit in memory, or that several ranks do together.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/array.hpp"
#include "kann/error.hpp"
#include "kann/histogram.hpp"
#include "kann/statistics.hpp"

#include "base/parallel.hpp"
#include "cli/job/job.hpp"
#include "cli/report/summary.hpp"

namespace kann::cli {

/// The option or output that needs all rows in memory; empty if there is none.
std::string Job::beside_tiles() const {
  const Options& o = options_;
  if (o.grid) return "--grid";
  if (o.cloud_format) return "a cloud of the queries";
  if (!o.transfer.empty()) return "--transfer";
  if (o.outliers) return "--outliers";
  if (o.picture) return "--picture";
  if (o.verify && !o.search.periodic.empty()) return "--verify with --periodic";
  if (o.compare) return "--compare";
  if (o.output == "-" && o.output_format == NeighborFormat::npz) return "npz on standard output";
  return "";
}

/// Whether the search is to be done in tiles, from the files.
bool Job::plan_tiles(const ReadOptions& of_data, const ReadOptions& of_query) {
  const std::string folder = options_.temp_folder     ? *options_.temp_folder
                             : options_.output == "-" ? std::filesystem::temp_directory_path().string()
                                                      : std::filesystem::path(options_.output).parent_path().string();
  tiled_ = tiles::FileSearch::plan(
      {ranks_, options_.data, options_.query, of_data, of_query, options_.search, options_.max_memory,
       options_.verify ? std::optional(options_.verify_sample) : std::nullopt, beside_tiles(), folder});
  if (!tiled_) return false;
  for (const std::string& message : tiled_->file_warnings()) warn(message);
  report_.data = CloudFacts{options_.data, tiled_->data_size(), tiled_->dimensions(), tiled_->data_columns()};
  report_.query = options_.query
                      ? CloudFacts{*options_.query, tiled_->query_size(), tiled_->dimensions(), tiled_->query_columns()}
                      : *report_.data;
  if (options_.query && options_.search.include_self) warn("--include-self changes nothing with --query");
  return true;
}

/// Searches in tiles or pieces. The rows of a piece are written to their places in the result as they are found, if the
/// format has such places and nothing else needs the rows.
void Job::search_parts() {
  SearchOptions& options = search_options_;
  options.data_name = options_.data;
  options.on_progress = progress_of(tiled_->query_size());
  std::optional<NeighborPart> part;
  if (tiled_->is_in_pieces() && files_.result && !wants_statistics() && !options_.verify)
    if (const auto shared = files_.result->share(tiled_->query_size(), options.k, false); !shared.empty())
      part = NeighborPart::open(shared);
  if (part) {
    const auto search = [&](const RowBlocks::Sink& write) {
      Array<std::int64_t> ids;
      report_.search = tiled_->run(options, [&](std::int64_t, const Neighbors& rows) {
        ids.resize(rows.ids.size());
        base::parallel_for(std::ssize(ids), io_threads_, [&](std::int64_t i) {
          ids[static_cast<std::size_t>(i)] = rows.ids[static_cast<std::size_t>(i)];
        });
        write(ids, rows.distances);
      });
    };
    written_part_ = part->write({tiled_->query_size(), options.k, false, search}, 0, io_threads_);
  } else {
    report_.search = tiled_->run(options);
  }
  for (const std::string& message : report_.search->warnings) warn(message);
  report_.tiles = tiled_->report();
  if (!options_.writes_result() || options_.output_format != NeighborFormat::npz) return;
  report_.data->hash = tiled_->data_hash();
  report_.query->hash = tiled_->query_hash();
}

/// Lets each rank write its rows into the one file. Returns false on all ranks if that is impossible: nothing that was
/// written then counts.
bool Job::write_at_once() {
  if (ranks_.is_alone()) return false;
  std::int64_t first = 0;
  const RowBlocks rows = tiled_->own_rows(first);
  comm::Bytes shared;
  if (files_.result) shared = files_.result->share(tiled_->query_size(), rows.k, rows.has_wide_ids);
  shared = ranks_.gather(std::move(shared)).front();
  if (shared.empty()) return false;
  auto part = NeighborPart::open(shared);
  const std::vector<char> sees = ranks_.gather_value(static_cast<char>(part.has_value()));
  if (const auto blind = std::ranges::find(sees, 0); blind != sees.end()) {
    messages_.detail(
        fmt::format("{}: rank {} does not see its temporary file, or may not write to it; rank 0 writes all rows",
                    options_.output, blind - sees.begin()));
    return false;
  }

  std::function<void(std::uint64_t, std::uint64_t)> on_progress;
  if (Progress* const progress = messages_.shown_progress(); progress && files_.result)
    on_progress = progress->of_bytes();
  std::vector<comm::Bytes> to_first(static_cast<std::size_t>(ranks_.size()));
  to_first.front() = part->write(rows, first, io_threads_, on_progress);
  const std::vector<comm::Bytes> parts = ranks_.exchange(std::move(to_first));
  const bool is_joined = files_.result && files_.result->join(parts, result_meta_json(options_, report_), io_threads_);
  if (ranks_.any(is_joined)) return true;
  messages_.detail(options_.output +
                   ": its folder does not keep what several ranks write to one file; rank 0 writes all rows");
  return false;
}

/// Writes one file with all rows, or one file per rank.
void Job::write_tiled_rows() {
  if (!written_part_.empty()) {
    if (files_.result->join({&written_part_, 1}, result_meta_json(options_, report_), io_threads_)) return;
    throw Error(ErrorKind::resources, options_.output + ": its folder does not keep what is written to a file");
  }
  const auto write_to_file = [&](const RowBlocks& rows) {
    files_.result->write(rows, result_meta_json(options_, report_), io_threads_);
  };
  if (options_.output_per_rank) {
    report_.first_row = 0;
    report_.writing_ranks = ranks_.size();
    const RowBlocks rows = tiled_->own_rows(*report_.first_row);
    return write_to_file(rows);
  }
  report_.writing_ranks = write_at_once() ? ranks_.size() : 1;
  if (report_.writing_ranks > 1) return;
  if (!files_.result) return tiled_->serve_rows();
  write_to_file(tiled_->rows());
  tiled_->end_service();
}

/// Computes the statistics: each rank counts its own rows, and all get the sums of the counts.
void Job::measure_own_rows() {
  std::int64_t first = 0;
  const RowBlocks rows = tiled_->own_rows(first);
  const SumOverProcesses sum = [this](std::span<std::int64_t> counts) { ranks_.sum(counts); };
  report_.statistics = distance_statistics(rows, tiled_->dimensions(), io_threads_, sum);
  if (!ranks_.any(files_.histogram != nullptr)) return;
  const std::string svg = histogram_svg(rows, *report_.statistics, sum, quality_text(options_, *report_.search));
  if (files_.histogram) write_histogram(svg);
}

}  // namespace kann::cli
