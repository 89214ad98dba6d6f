#include "flow/file_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "flow/in_tiles.hpp"
#include "flow/tile_sizes.hpp"
#include "search/clusters/number_clusters.hpp"
#include "search/warnings.hpp"

namespace kann::flow {
SearchReport FileSearch::run(const SearchOptions& search, const TakePiece& take) {
  base::return_freed_memory();
  plan_.options.search = search;
  if (plan_.device.is_chosen()) plan_.options.search.device = plan_.device.choice;
  if (is_in_pieces() && take) {
    report_ = in_pieces(data(), plan_.clouds.query.get(), plan_.options, take);
  } else {
    FileSearchResult result = keep_rows();
    store_ = std::make_unique<ResultStore>(std::move(result.rows));
    base::return_freed_memory();  // 100,000 points per tile: the blocks that come now took 9 MB beside it
    report_ = std::move(result.report);
    set_found(store_->results(), store_->block_rows());
  }
  plan_.clouds.check_unchanged();
  add_hashes();
  return report_of(search);
}

SearchReport FileSearch::list(const SearchOptions& search, const ListRequest& request) {
  base::return_freed_memory();
  plan_.options.search = search;
  FileLists found =
      lists_in_tiles({data(), plan_.clouds.query.get(), plan_.options, *plan_.ranks}, request, *plan_.ranks);
  base::return_freed_memory();
  store_ = std::move(found.store);
  if (store_) set_found(store_->results(), plan_.options.sizes.block_rows);
  report_ = std::move(found.report);
  plan_.clouds.check_unchanged();
  add_hashes();
  SearchReport report = report_of(search);
  report.full_rows.reset();
  return report;
}

SearchReport FileSearch::cluster(const ClusterOptions& options) {
  base::return_freed_memory();
  SearchOptions& search = plan_.options.search;
  search.radius = options.radius;
  search.periodic = options.periodic;
  search.sky = options.sky;
  search.invalid = options.invalid;
  search.device = options.device;
  search.start_up = options.start_up;
  search.threads = options.threads;
  search.data_name = options.data_name;
  search.on_progress = options.on_progress;
  FileClusters found =
      clusters_in_tiles({data(), nullptr, plan_.options, *plan_.ranks}, options.min_points, *plan_.ranks);
  base::return_freed_memory();
  report_ = std::move(found.report);
  plan_.clouds.check_unchanged();
  add_hashes();
  SearchReport report = report_.last;
  report.data_points = report.query_points = data().size();
  report.data_skipped = report.query_skipped = report_.data.invalid;
  report.dimensions = data().dimensions();
  report.total_seconds = report_.survey_seconds + report_.order_seconds + report_.search_seconds;
  report.warnings = detail::cluster_warnings(options, found.counts, report_.data.valid);
  clusters_ = std::move(found);
  const std::int64_t n = data().size(), block_rows = plan_.options.sizes.block_rows;
  set_found({n, 0, false,
             [n, block_rows](const RowBlocks::Sink& sink) {
               for (std::int64_t first = 0; first < n; first += block_rows)
                 sink({.first = first, .count = std::min(block_rows, n - first)});
             }},
            block_rows);
  return report;
}

void FileSearch::set_found(RowBlocks rows, std::int64_t block_rows) {
  found_.emplace(std::move(rows), FoundInFiles{data(), queries(), plan_.products, memory(),
                                               base::thread_count(plan_.options.search.threads), block_rows});
}

RowBlocks FileSearch::own_rows() const { return store_->own_rows(); }

void FileSearch::serve() const {
  if (store_) store_->serve();
}

void FileSearch::end_service() const {
  if (store_) store_->end_service();
}

FileSearchResult FileSearch::keep_rows() const {
  if (is_in_pieces()) return in_kept_pieces(data(), plan_.clouds.query.get(), plan_.options, *plan_.ranks);
  return in_tiles({data(), plan_.clouds.query.get(), plan_.options, *plan_.ranks}, *plan_.ranks);
}

/// What kann::search() reports.
SearchReport FileSearch::report_of(const SearchOptions& search) const {
  const bool is_self = !plan_.clouds.query;
  const int dimensions = data().dimensions();
  const problem::Survey& of_queries = is_self ? report_.data : report_.query;
  const RowCounts& rows = report_.rows;
  SearchReport report = report_.last;
  if (plan_.device.is_chosen()) report.device_reason = plan_.device.reason;
  report.data_points = data().size();
  report.query_points = queries().size();
  report.data_skipped = report_.data.invalid;
  report.query_skipped = of_queries.invalid;
  report.dimensions = dimensions;
  report.total_seconds = report_.survey_seconds + report_.order_seconds + report_.search_seconds;
  if (search.radius) {
    report.within_radius = rows.neighbors;
    report.full_rows = rows.full_rows;
  }
  const bool are_filled = plan_.options.sizes.listed > 0 || search.images == kann::Images::all;
  const detail::AskedRows asked = {are_filled ? 0 : search.k,
                                   dimensions,
                                   report_.data,
                                   of_queries,
                                   is_self && !search.include_self,
                                   data().name(),
                                   is_self ? "" : queries().name(),
                                   !search.periodic.empty() || search.sky};
  report.warnings = detail::row_warnings(asked, rows.past_float32, report_.first_distances);
  detail::warn_of_far_rows(search, rows.far_rows, report.warnings);
  return report;
}

/// Adds up what the ranks know of the clouds, each of its share.
void FileSearch::add_hashes() {
  const auto sum = [&](const CloudSource& cloud) {
    const std::vector<std::uint64_t> shares = plan_.ranks->gather_value(cloud.hash());
    return std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  };
  data_hash_ = sum(data());
  query_hash_ = plan_.clouds.query ? sum(queries()) : data_hash_;
}

}  // namespace kann::flow
