#include "search/sphere_distances.hpp"

#include <algorithm>
#include <span>
#include <variant>
#include <vector>

#include "kann/sky.hpp"

#include "base/threads/parallel.hpp"
#include "search/rows/candidates.hpp"

namespace kann::detail {
namespace {

constexpr std::int64_t k_grain = 1024;  // rows per piece of work

/// Distances between unit vectors.
class SphereDistances {
 public:
  SphereDistances(const PointsView& data, const PointsView& queries, AngleUnit unit)
      : data_(std::get<std::span<const double>>(data.coordinates).data()),
        queries_(std::get<std::span<const double>>(queries.coordinates).data()),
        unit_(unit) {}

  /// Sets the distances of a row, which is sorted then. Missing neighbours are not in it.
  void set(std::int64_t query, std::span<std::int32_t> ids, std::span<float> distances,
           std::vector<Candidate>& row) const {
    row.clear();
    for (const std::int64_t id : ids) row.push_back(candidate(data_ + 3 * id, id, queries_ + 3 * query, 3));
    sort(row);
    write_row(row, unit_, ids, distances);
  }

 private:
  const double* const data_;
  const double* const queries_;
  const AngleUnit unit_;
};

}  // namespace

SearchOptions options_of_vectors(const SearchOptions& options) {
  SearchOptions made = options;
  if (options.radius) made.radius = chord(*options.radius, *options.sky);
  made.sky.reset();
  return made;
}

void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          NeighborLists& lists) {
  const SphereDistances distances(data, queries, unit);
  base::parallel_chunks(lists.queries(), k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Candidate> row;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto first = static_cast<std::size_t>(lists.begins[i]);
      const auto count = static_cast<std::size_t>(lists.begins[i + 1]) - first;
      distances.set(i, std::span(lists.ids).subspan(first, count), std::span(lists.distances).subspan(first, count),
                    row);
    }
  });
}

void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          Neighbors& rows) {
  const SphereDistances distances(data, queries, unit);
  const auto k = static_cast<std::size_t>(rows.k);
  base::parallel_chunks(rows.queries, k_grain, threads, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Candidate> row;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto first = static_cast<std::size_t>(i) * k;
      const std::span ids = std::span(rows.ids).subspan(first, k);
      const auto count = static_cast<std::size_t>(std::ranges::find(ids, k_missing_id) - ids.begin());
      distances.set(i, ids.first(count), std::span(rows.distances).subspan(first, count), row);
    }
  });
}

}  // namespace kann::detail
