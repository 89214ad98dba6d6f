#include "search/groups/slice_search.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "geometry/distance.hpp"
#include "geometry/row_images.hpp"
#include "geometry/within_radius.hpp"
#include "search/search.hpp"
#include "search/search_radius.hpp"

namespace kann::detail {
namespace {

/// Brute force looks at about 10⁹ pairs per second and thread; a search takes some 100 µs whatever it finds, on a GPU 2
/// ms: 25,000 groups of 20 points took 47 s there.
constexpr std::int64_t k_few_pairs = 1 << 16;

std::array<double, 3> difference(const Slice& queries, std::int64_t query, const Slice& data, std::int64_t point) {
  std::array<double, 3> d{};
  for (int a = 0; a < data.points.dimensions; ++a)
    d[static_cast<std::size_t>(a)] = queries.points.at(query, a) - data.points.at(point, a);
  return d;
}

/// None if the data are their own queries.
std::optional<PointsView> queries_of(const Slice& queries, bool are_own) {
  return are_own ? std::nullopt : std::optional<PointsView>(queries.points);
}

double sq_distance_of(const std::array<double, 3>& d) { return geometry::sq_distance_3d(d[0], d[1], d[2]); }

/// d² of the nearest image of a query, of which many others may be nearly as near: in a slab, for a point far above it.
double nearest_sq_distance(const PeriodicBox& box, const Position& query, const Position& point) {
  const auto from = [&](const Position& at) {
    return sq_distance_of({at[0] - point[0], at[1] - point[1], at[2] - point[2]});
  };
  double least = from(query);
  const geometry::NearImages near(box, {.lo = point, .hi = point}, geometry::NearImages::Of::nearest);
  near.for_each(query, least, [&](const geometry::Shift&, const Position& image) {
    least = std::min(least, from(image));
    return true;
  });
  return least;
}

}  // namespace

SliceSearch::SliceSearch(const SearchOptions& options, bool is_self, const geometry::Box& extent)
    : options_(options), drops_self_(is_self && !options.include_self), extent_(extent) {
  options_.on_progress = nullptr;
  if (options.periodic.empty()) return;
  box_.emplace(options_.periodic);
  placement_.emplace(*box_, extent);
}

void SliceSearch::sq_distances(const Slice& queries, std::int64_t query, const Slice& data,
                               std::span<const std::int32_t> ids, std::span<const float> distances,
                               std::vector<double>& out) const {
  out.clear();
  if (!box_) {
    for (const std::int32_t id : ids) out.push_back(sq_distance_of(difference(queries, query, data, id)));
    return;
  }
  const Position at = placement_->of_queries()(position_of(queries.points, query));
  const auto point = [&](std::size_t i) { return placement_->of_data()(position_of(data.points, ids[i])); };
  if (options_.images == Images::nearest) {
    for (std::size_t i = 0; i < ids.size(); ++i) out.push_back(nearest_sq_distance(*box_, at, point(i)));
    return;
  }
  geometry::RowImages images(*box_);
  for (const geometry::FoundImage& found : images.of(at, ids, distances, point)) out.push_back(found.sq_dist);
  // Where coordinates are rounded too coarsely to tell images apart, distances do not, either
  for (std::size_t i = out.size(); i < ids.size(); ++i)
    out.push_back(static_cast<double>(distances[i]) * static_cast<double>(distances[i]));
}

bool SliceSearch::is_small(std::int64_t points, std::int64_t queries) const {
  return options_.periodic.empty() && points < k_few_pairs && points * std::min(queries, k_few_pairs) <= k_few_pairs;
}

/// The `most` nearest neighbours of a query, less those beyond the radius, in their order; ids are places.
void SliceSearch::find_all(const Slice& data, const Slice& queries, std::int64_t query, bool are_own, std::size_t most,
                           std::vector<Candidate>& found) const {
  found.clear();
  for (std::int64_t point = 0; point < data.size(); ++point)
    if (!(are_own && drops_self_ && point == query))
      found.push_back(
          {sq_distance_of(difference(queries, query, data, point)), static_cast<std::int32_t>(point), false});
  sort(found);
  found.resize(std::min(found.size(), most), Candidate::missing());
  if (options_.radius)
    std::erase_if(found, [&, is_within = geometry::WithinRadius(*options_.radius)](const Candidate& c) {
      return !is_within(difference(queries, query, data, c.id));
    });
}

Neighbors SliceSearch::nearest(const Slice& data, const Slice& queries, bool are_own, std::int64_t k) {
  if (!is_small(data.size(), queries.size())) {
    SearchOptions options = options_;
    options.k = k;
    SearchResult result = search(data.points, queries_of(queries, are_own), options, extent_);
    keep(std::move(result.report));
    return std::move(result.neighbors);
  }
  const std::int64_t m = queries.size();
  Neighbors rows{m, k, {}, {}};
  rows.ids.resize(static_cast<std::size_t>(m * k));
  rows.distances.resize(rows.ids.size());
  std::vector<Candidate> row;
  const auto size = static_cast<std::size_t>(k);
  for (std::int64_t query = 0; query < m; ++query) {
    find_all(data, queries, query, are_own, size, row);
    row.resize(size, Candidate::missing());
    const auto at = static_cast<std::size_t>(query) * size;
    write_row(row, std::nullopt, std::span(rows.ids).subspan(at, size), std::span(rows.distances).subspan(at, size));
  }
  return rows;
}

NeighborLists SliceSearch::within(const Slice& data, const Slice& queries, bool are_own, bool only_counts) {
  if (!is_small(data.size(), queries.size())) {
    const std::int64_t most = only_counts ? -1 : most_in_memory();
    RadiusResult result = search_radius(data.points, queries_of(queries, are_own), options_, most, extent_);
    if (!only_counts) result = with_lists(std::move(result), most);
    keep(std::move(result.report));
    return std::move(result.lists);
  }
  NeighborLists lists;
  lists.begins.push_back(0);
  std::vector<Candidate> row;
  for (std::int64_t query = 0; query < queries.size(); ++query) {
    find_all(data, queries, query, are_own, static_cast<std::size_t>(data.size()), row);
    lists.begins.push_back(lists.begins.back() + std::ssize(row));
    if (only_counts) continue;
    const std::size_t at = lists.ids.size();
    lists.ids.resize(at + row.size());
    lists.distances.resize(at + row.size());
    write_row(row, std::nullopt, std::span(lists.ids).subspan(at), std::span(lists.distances).subspan(at));
  }
  return lists;
}

void SliceSearch::keep(SearchReport report) {
  if (!report_) report_ = std::move(report);
  report_->device_peak_bytes = std::max(report_->device_peak_bytes, report.device_peak_bytes);
  options_.device.kind = report_->device.kind;  // all searches run where the first does
}

SearchReport SliceSearch::report() {
  if (!report_) {
    const PointsView none{3, std::span<const double>()};
    SearchOptions options = options_;
    options.periodic.clear();
    options.images = Images::nearest;
    report_ = search(none, none, options).report;
  }
  return *report_;
}

}  // namespace kann::detail
