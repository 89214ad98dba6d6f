#include "search/periodic/periodic_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/threads/parallel.hpp"
#include "search/periodic/images.hpp"
#include "search/rows/candidates.hpp"

namespace kann::detail {
namespace {

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
      std::vector<Candidate> row, of_images, scratch;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t query = images.queries[i];
        row.clear();
        of_images.clear();
        append(rows_, query, query, position_of(of_.queries, query), row);
        sort(row);
        row.resize(static_cast<std::size_t>(rows_.k), Candidate::missing());
        for (std::int64_t image = images.begins[i]; image < images.begins[i + 1]; ++image)
          append(found, image, query, position_of(images.view(of_.data.dimensions), image), of_images);
        merge_images(row, of_images, of_.box.may_repeat(row.back().sq_dist), scratch);
        const auto at = static_cast<std::size_t>(query * rows_.k);
        write_row(row, std::nullopt, std::span(rows_.ids).subspan(at, row.size()),
                  std::span(rows_.distances).subspan(at, row.size()));
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
  /// Appends what row `i` of an answer has for a query that was searched `from` a place.
  void append(const Neighbors& answer, std::int64_t i, std::int64_t query, const Position& from,
              std::vector<Candidate>& candidates) const {
    for (std::int64_t at = i * answer.k; at < (i + 1) * answer.k; ++at) {
      const std::int32_t id = answer.ids[at];
      if (id == k_missing_id || (of_.drop_self && id == query)) continue;
      const Candidate found = candidate(position_of(of_.data, id).data(), id, from.data(), from.size());
      if (!std::isnan(found.sq_dist)) candidates.push_back(found);  // it has no order; the coordinates have changed
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
