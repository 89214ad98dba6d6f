#include "search/periodic/periodic_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/threads/parallel.hpp"
#include "geometry/exact_neighbor.hpp"
#include "search/periodic/images.hpp"

namespace kann::detail {
namespace {

using geometry::ExactNeighbor;

/// How many images are searched together, with lists of so many neighbours: a quarter of the queries, so that they take
/// less memory than the result, but 128 MiB of ids and distances at most. Few would be searched slowly.
std::int64_t images_together(std::int64_t queries, std::int64_t neighbors) {
  constexpr std::int64_t least = 1 << 14, most_held = std::int64_t{1} << 24;
  return std::min(std::max(least, queries / 4), most_held / std::max<std::int64_t>(1, neighbors));
}

/// The state of one call of PeriodicRows::mend().
class Mending {
 public:
  Mending(const PeriodicRows& of, Neighbors& rows) : of_(of), rows_(rows) {}

  /// The number of neighbours to search per image: as many as in a row, and one more where the query itself may be
  /// found.
  std::int64_t list_size() const { return std::min(of_.valid_data, rows_.k + (of_.drop_self ? 1 : 0)); }

  /// Searches for images, and merges what is found into the rows of their queries.
  void add(const QueryPlaces& images) {
    const double done = static_cast<double>(images.queries.front()) / static_cast<double>(rows_.queries);
    const Neighbors found = of_.search_at(images.positions, list_size(), done);
    constexpr std::int64_t grain = 256;
    base::parallel_chunks(std::ssize(images.queries), grain, of_.threads, [&](std::int64_t begin, std::int64_t end) {
      std::vector<ExactNeighbor> candidates;
      std::vector<std::pair<float, std::int32_t>> row;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t query = images.queries[i];
        const Position at = position_of(of_.queries, query);
        candidates.clear();
        append(rows_, query, 1, query, at, candidates);
        append(found, images.begins[i], images.begins[i + 1] - images.begins[i], query, at, candidates);
        write(query, candidates, row);
      }
    });
  }

  /// An upper bound of d² of the last neighbour in the row so far, which was found without a box; negative where there
  /// is none.
  double sq_radius(std::int64_t query) const {
    if (rows_.ids[query * rows_.k] == k_missing_id) return -1;
    const Position at = position_of(of_.queries, query);
    const std::int64_t begin = query * rows_.k, end = begin + rows_.k;
    const float last = rows_.distances[end - 1];  // a rounded distance
    if (last > 0x1p-100f && last < 0x1p100f) {
      const double radius = std::nextafter(last, std::numeric_limits<float>::infinity());
      return radius * radius;
    }
    double largest = 0;
    for (std::int64_t i = begin; i < end && rows_.ids[i] != k_missing_id; ++i) {
      const Position p = position_of(of_.data, rows_.ids[i]);
      largest = std::max(largest, geometry::sq_distance_3d(at[0] - p[0], at[1] - p[1], at[2] - p[2]));
    }
    return largest;
  }

 private:
  void append(const Neighbors& lists, std::int64_t first, std::int64_t count, std::int64_t query, const Position& at,
              std::vector<ExactNeighbor>& candidates) const {
    for (std::int64_t i = first * lists.k; i < (first + count) * lists.k; ++i) {
      const std::int32_t id = lists.ids[i];
      if (id == k_missing_id || (of_.drop_self && id == query)) continue;
      const double sq_dist = of_.box.sq_dist(at, position_of(of_.data, id));
      if (std::isnan(sq_dist)) continue;  // it has no order; the coordinates changed after they were checked
      candidates.push_back({sq_dist, static_cast<std::uint32_t>(id)});
    }
  }

  /// Writes the row. The candidates contain, for each image of the query, the first k in the order of (d², id), and
  /// therefore the first k overall.
  void write(std::int64_t query, std::vector<ExactNeighbor>& candidates,
             std::vector<std::pair<float, std::int32_t>>& row) {
    std::sort(candidates.begin(), candidates.end());
    const auto same = [](const ExactNeighbor& a, const ExactNeighbor& b) { return a.index == b.index; };
    candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
    candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(rows_.k)));
    row.clear();
    for (const ExactNeighbor& n : candidates)
      row.emplace_back(geometry::rounded_root(n.sq_dist), static_cast<std::int32_t>(n.index));
    std::sort(row.begin(), row.end());
    row.resize(static_cast<std::size_t>(rows_.k), {std::numeric_limits<float>::infinity(), k_missing_id});
    for (std::int64_t r = 0; r < rows_.k; ++r) {
      rows_.distances[query * rows_.k + r] = row[r].first;
      rows_.ids[query * rows_.k + r] = row[r].second;
    }
  }

  const PeriodicRows& of_;
  Neighbors& rows_;
};

}  // namespace

double PeriodicRows::bytes(std::int64_t queries, std::int64_t k) {
  const std::int64_t together = images_together(queries, k + 1);
  const std::int64_t most =
      std::min(queries * k_most_images, together + ImagedQueries::made_together(together) * k_most_images);
  // The row of an image; its position, and its place in the order
  return static_cast<double>(most) * (8 * static_cast<double>(k + 1) + 64);
}

void PeriodicRows::mend(Neighbors& rows) const {
  if (valid_data == 0) return;
  Mending mending(*this, rows);
  const ImagedQueries images{.box = box,
                             .extent = extent,
                             .queries = queries,
                             .sq_radius = [&](std::int64_t query) { return mending.sq_radius(query); },
                             .threads = threads};
  images.for_each(images_together(rows.queries, mending.list_size()),
                  [&](const QueryPlaces& places) { mending.add(places); });
}

}  // namespace kann::detail
