// A job whose search does not fit in memory, or that several ranks make together.
#include <filesystem>
#include <string>

#include "cli/job/job.hpp"

namespace kann::cli {

/// What is wanted that needs all rows in memory, or that one process makes; empty: nothing.
std::string Job::beside_tiles() const {
  const Options& o = options_;
  if (o.grid) return "--grid";
  if (o.cloud_format) return "a cloud of the queries";
  if (!o.transfer.empty()) return "--transfer";
  if (o.outliers) return "--outliers";
  if (o.picture) return "--picture";
  if (o.verify) return "--verify";
  if (o.compare) return "--compare";
  if (o.output == "-" && o.output_format == NeighborFormat::npz) return "npz on standard output";
  if (!ranks_.is_alone() && o.histogram) return "--histogram";
  if (!ranks_.is_alone() && o.stats) return "--stats";
  return "";
}

/// Whether the search is made in tiles, from the files.
bool Job::plan_tiles(const ReadOptions& of_data, const ReadOptions& of_query) {
  const std::string folder = options_.temp_folder     ? *options_.temp_folder
                             : options_.output == "-" ? std::filesystem::temp_directory_path().string()
                                                      : std::filesystem::path(options_.output).parent_path().string();
  tiled_ = tiles::FileSearch::plan({ranks_, options_.data, options_.query, of_data, of_query, options_.search,
                                    options_.max_memory, beside_tiles(), folder});
  if (!tiled_) return false;
  for (const std::string& message : tiled_->file_warnings()) warn(message);
  report_.data = CloudFacts{options_.data, tiled_->data_size(), tiled_->dimensions(), tiled_->data_columns()};
  report_.query = options_.query
                      ? CloudFacts{*options_.query, tiled_->query_size(), tiled_->dimensions(), tiled_->query_columns()}
                      : *report_.data;
  if (options_.query && options_.search.include_self) warn("--include-self changes nothing with --query");
  return true;
}

/// One file of all rows, or one of each rank.
void Job::write_tiled_rows() {
  const auto write_to_file = [&](const RowBlocks& rows) {
    files_.result->write(rows, result_meta_json(options_, report_), io_threads_);
  };
  if (options_.output_per_rank) {
    report_.first_row = 0;
    const RowBlocks rows = tiled_->own_rows(*report_.first_row);
    return write_to_file(rows);
  }
  if (!files_.result) return tiled_->serve_rows();
  write_to_file(tiled_->rows());
  tiled_->end_service();
}

}  // namespace kann::cli
