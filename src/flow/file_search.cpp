#include "flow/file_search.hpp"

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "flow/in_box.hpp"
#include "flow/in_tiles.hpp"
#include "flow/sources/placed_source.hpp"
#include "flow/tile_sizes.hpp"
#include "problem/sky.hpp"
#include "search/sphere_search.hpp"
#include "search/warnings.hpp"

namespace kann::flow {

SearchReport FileSearch::run(const SearchOptions& search, const TakePiece& take) {
  base::return_freed_memory();
  plan_.options.search = search;
  if (is_in_pieces() && take) {
    report_ = in_pieces(data(), queries(), plan_.options, take);
  } else {
    FileSearchResult result = keep_rows();
    rows_ = std::make_unique<RowStore>(std::move(result.rows));
    base::return_freed_memory();  // 100,000 points per tile: the blocks that come now took 9 MB beside it
    report_ = std::move(result.report);
    const CloudSource* const query = plan_.clouds.query.get();
    answer_ = std::make_unique<FileAnswer>(data(), query, *rows_, (query ? report_.query : report_.data).invalid,
                                           memory(), plan_.products, base::thread_count(search.threads), *plan_.ranks);
  }
  plan_.clouds.check_unchanged();
  return report_of(search);
}

FileSearchResult FileSearch::keep_rows() const {
  const CloudSource* const query = plan_.clouds.query.get();
  if (is_in_pieces()) return in_kept_pieces(data(), *query, plan_.options, *plan_.ranks);
  if (plan_.options.search.sky) return in_tiles_on_sphere(query);
  if (!plan_.options.search.periodic.empty()) return in_box(data(), query, plan_.options, *plan_.ranks);
  return in_tiles(data(), queries_of(query), plan_.options, *plan_.ranks);
}

FileSearchResult FileSearch::in_tiles_on_sphere(const CloudSource* query) const {
  FileSearchOptions options = plan_.options;
  options.sky = options.search.sky;
  options.search = detail::options_of_vectors(options.search);
  const auto on_sphere = [&](const PointSource& given) {
    problem::check_angles(given.dimensions(), given.name());
    return PlacedSource(
        given, 3,
        [&given, threads = base::thread_count(options.search.threads)](std::int64_t row, const PointsView& points,
                                                                       std::span<double> out) {
          problem::put_on_sphere(points, row, given.name(), threads, out);
        },
        options.memory);
  };
  const PlacedSource placed = on_sphere(data());
  std::optional<PlacedSource> queries;
  if (query) queries.emplace(on_sphere(*query));
  return in_tiles(placed, queries_of(queries ? &*queries : nullptr), options, *plan_.ranks);
}

/// What kann::search() reports.
SearchReport FileSearch::report_of(const SearchOptions& search) const {
  const bool is_self = !plan_.clouds.query;
  const int dimensions = data().dimensions();
  const problem::Survey& of_queries = is_self ? report_.data : report_.query;
  const problem::Problem p = parameters_of(search, dimensions);
  const RowCounts& rows = report_.rows;
  SearchReport report = report_.last;
  report.data_points = data().size();
  report.query_points = queries().size();
  report.data_skipped = report_.data.invalid;
  report.query_skipped = of_queries.invalid;
  report.dimensions = dimensions;
  report.method = p.method;
  report.total_seconds = report_.survey_seconds + report_.order_seconds + report_.search_seconds;
  if (search.radius) {
    report.within_radius = rows.neighbors;
    report.full_rows = rows.full_rows;
  }
  const detail::AskedRows asked = {search.k,
                                   dimensions,
                                   report_.data,
                                   of_queries,
                                   is_self && !search.include_self,
                                   data().name(),
                                   is_self ? "" : queries().name(),
                                   !search.periodic.empty() || search.sky};
  report.warnings = p.method == Method::exact
                        ? detail::row_warnings(asked, rows.past_float32, report_.first_distances)
                        : detail::shifted_warnings(asked, p, report_.short_rows, rows.past_float32, report.sample,
                                                   report_.first_distances);
  return report;
}

std::uint64_t FileSearch::hash_of(const CloudSource& cloud) const {
  std::uint64_t sum = 0;
  for (const std::uint64_t share : plan_.ranks->gather_value(cloud.hash())) sum += share;
  return sum;
}

}  // namespace kann::flow
