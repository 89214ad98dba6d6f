#include "search/groups/slice_search.hpp"

#include <algorithm>
#include <span>

#include "geometry/row_images.hpp"
#include "geometry/within_radius.hpp"
#include "search/search.hpp"
#include "search/search_radius.hpp"

namespace kann::detail {
namespace {

/// A search by all threads takes some 100 µs more than one by a thread of its own, and on a GPU 2 ms: 25,000 groups of
/// 20 points took 47 s there.
constexpr std::int64_t k_points_of_thread = 1 << 12;
/// Where groups are searched in each other, one after the other, one thread is enough for so few pairs.
constexpr std::int64_t k_few_pairs = 1 << 12;
/// Brute force looks at so many in the 10 µs that a search takes whatever it finds: with it, 100,000 groups of ten
/// points take a third of the time.
constexpr std::int64_t k_brute_force_pairs = 1 << 8;

Position difference(const Position& a, const Position& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double sq_distance(const Position& a, const Position& b) { return geometry::sq_length(difference(a, b)); }

std::vector<Position> positions(const Slice& slice) {
  std::vector<Position> all;
  for (std::int64_t i = 0; i < slice.size(); ++i) all.push_back(position_of(slice.points, i));
  return all;
}

/// Appends a row of `size` places to the others.
void append(std::span<const Candidate> row, std::size_t size, Array<std::int32_t>& ids, Array<float>& distances) {
  const std::size_t at = ids.size();
  ids.resize(at + size);
  distances.resize(at + size);
  write_row(row, std::nullopt, std::span(ids).subspan(at), std::span(distances).subspan(at));
}

/// None if the data are their own queries.
std::optional<PointsView> queries_of(const Slice& queries, bool are_own) {
  return are_own ? std::nullopt : std::optional<PointsView>(queries.points);
}

/// d² of the nearest image of a query, of which many others may be nearly as near: in a slab, for a point far above it.
double nearest_sq_distance(const PeriodicBox& box, const Position& query, const Position& point) {
  double least = sq_distance(query, point);
  const geometry::NearImages near(box, {.lo = point, .hi = point}, geometry::NearImages::Of::nearest);
  near.for_each(query, least, [&](const geometry::Shift&, const Position& image) {
    least = std::min(least, sq_distance(image, point));
    return true;
  });
  return least;
}

}  // namespace

SliceSearch::SliceSearch(const SearchOptions& options, const geometry::Box& extent, GroupRule rule)
    : options_(options), few_points_(rule == GroupRule::same ? k_points_of_thread : 0), extent_(extent) {
  options_.on_progress = nullptr;
  if (options.periodic.empty()) return;
  box_.emplace(options_.periodic);
  placement_.emplace(*box_, extent);
}

void SliceSearch::sq_distances(const Slice& queries, std::int64_t query, const Slice& data,
                               std::span<const std::int32_t> ids, std::span<const float> distances,
                               std::vector<double>& out) const {
  out.clear();
  const Position given = position_of(queries.points, query);
  if (!box_) {
    for (const std::int32_t id : ids) out.push_back(sq_distance(given, position_of(data.points, id)));
    return;
  }
  const Position at = placement_->of_queries()(given);
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
  const std::int64_t largest = std::max(points, queries);
  return options_.periodic.empty() &&
         (largest <= few_points_ || (largest <= k_few_pairs && points * queries <= k_few_pairs));
}

/// The options of a search: a small one is made by the thread that calls it.
SearchOptions SliceSearch::options_of(bool is_small) const {
  SearchOptions options = options_;
  if (is_small) {
    options.device.kind = DeviceKind::cpu;
    options.threads = 1;
  }
  return options;
}

/// Calls take(row) with the `most` nearest neighbours of each query, less those beyond the radius, in their order; ids
/// are places. False: there are too many points for brute force.
bool SliceSearch::finds_all(const Slice& data, const Slice& queries, bool are_own, std::size_t most,
                            const std::function<void(const std::vector<Candidate>&)>& take) const {
  if (!is_small(data.size(), queries.size()) || data.size() * queries.size() > k_brute_force_pairs) return false;
  const std::vector<Position> points = positions(data), asked = are_own ? points : positions(queries);
  std::vector<Candidate> found;
  for (std::size_t query = 0; query < asked.size(); ++query) {
    found.clear();
    for (std::size_t point = 0; point < points.size(); ++point)
      if (!are_own || options_.include_self || point != query)
        found.push_back({sq_distance(asked[query], points[point]), static_cast<std::int32_t>(point), false});
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), most), Candidate::missing());
    if (options_.radius)
      std::erase_if(found, [&, is_within = geometry::WithinRadius(*options_.radius)](const Candidate& c) {
        return !is_within(difference(asked[query], points[static_cast<std::size_t>(c.id)]));
      });
    take(found);
  }
  return true;
}

Neighbors SliceSearch::nearest(const Slice& data, const Slice& queries, bool are_own, std::int64_t k) {
  const auto size = static_cast<std::size_t>(k);
  Neighbors rows{queries.size(), k, {}, {}};
  if (finds_all(data, queries, are_own, size, [&](const auto& row) { append(row, size, rows.ids, rows.distances); }))
    return rows;
  const bool has_one_thread = is_small(data.size(), queries.size());
  SearchOptions options = options_of(has_one_thread);
  options.k = k;
  SearchResult result = search(data.points, queries_of(queries, are_own), options, extent_);
  if (!has_one_thread) keep(std::move(result.report));
  return std::move(result.neighbors);
}

NeighborLists SliceSearch::within(const Slice& data, const Slice& queries, bool are_own, bool only_counts) {
  NeighborLists lists{{0}, {}, {}};
  if (finds_all(data, queries, are_own, data.rows.size(), [&](const auto& row) {
        lists.begins.push_back(lists.begins.back() + std::ssize(row));
        if (!only_counts) append(row, row.size(), lists.ids, lists.distances);
      }))
    return lists;
  const bool has_one_thread = is_small(data.size(), queries.size());
  const std::int64_t most = only_counts ? -1 : most_in_memory(data.size(), queries.size(), options_);
  RadiusResult result =
      search_radius(data.points, queries_of(queries, are_own), options_of(has_one_thread), most, extent_);
  if (!only_counts) result = with_lists(std::move(result), most);
  if (!has_one_thread) keep(std::move(result.report));
  return std::move(result.lists);
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
