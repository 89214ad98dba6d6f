#include "search/periodic/periodic_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/threads/parallel.hpp"
#include "geometry/within_radius.hpp"
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
  Mending(const PeriodicRows& of, Neighbors& rows)
      : of_(of),
        rows_(rows),
        keeps_images_(!of.images.only_nearest),
        drops_found_(of.is_self && (!of.includes_self || keeps_images_)),
        own_(of.is_self ? std::span(of.images.sq_lengths) : std::span<const double>()),
        is_mended_(static_cast<std::size_t>(rows.queries)) {
    if (of.radius) is_within_.emplace(*of.radius);
  }

  /// The number of neighbours to search per image: as many as in a row, and one more where the query itself may be
  /// found.
  std::int64_t list_size() const { return std::min(of_.valid_data, rows_.k + (drops_found_ ? 1 : 0)); }

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
        append(rows_, query, of_.is_self && !of_.includes_self ? query : -1, position_of(of_.queries, query), row);
        sort(row);
        row.resize(static_cast<std::size_t>(rows_.k), Candidate::missing());
        for (std::int64_t image = images.begins[i]; image < images.begins[i + 1]; ++image)
          append(found, image, drops_found_ ? query : -1, position_of(images.view(of_.data.dimensions), image),
                 of_images);
        for (const double sq_dist : own_)
          if (sq_dist <= row.back().sq_dist) of_images.push_back({sq_dist, static_cast<std::int32_t>(query), false});
        merge_images(row, of_images, of_.images.may_repeat(row.back().sq_dist), scratch);
        const auto at = static_cast<std::size_t>(query * rows_.k);
        write_row(row, std::nullopt, std::span(rows_.ids).subspan(at, row.size()),
                  std::span(rows_.distances).subspan(at, row.size()));
        is_mended_[static_cast<std::size_t>(query)] = 1;
      }
    });
  }

  /// An upper bound of d² of the last neighbour in the row of a query; negative where there is none.
  double sq_radius(std::int64_t query) const {
    const double all = is_within_ ? is_within_->sq_bound() : std::numeric_limits<double>::infinity();
    if (!keeps_images_ && rows_.ids[query * rows_.k] == k_missing_id) return -1;
    if (!of_.queries.is_finite(query)) return -1;
    return std::min(all, sq_last(query));
  }

  /// Shortens the rows. Those of images hold what is within the radius alone.
  Within keep_within_radius() {
    const auto difference = [&](std::int64_t query, std::int64_t id) {
      const Position q = position_of(of_.queries, query), p = position_of(of_.data, id);
      return is_mended_[static_cast<std::size_t>(query)] ? Position{} : Position{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    };
    return of_.radius ? keep_within(*of_.radius, Method::exact, of_.threads, difference, rows_) : Within();
  }

 private:
  /// The same without the radius: of the row so far, which was found without a box. A row that is not full has all
  /// points; where all images count, they are near enough to fill it.
  double sq_last(std::int64_t query) const {
    const std::int64_t begin = query * rows_.k, end = begin + rows_.k;
    const float last = rows_.distances[end - 1];  // a rounded distance
    double sq_far = 0;
    std::int64_t found = end;
    if (last > 0x1p-100f && last < 0x1p100f) {
      const double radius = std::nextafter(last, std::numeric_limits<float>::infinity());
      sq_far = radius * radius;
    } else {
      const Position at = position_of(of_.queries, query);
      for (found = begin; found < end && rows_.ids[found] != k_missing_id; ++found) {
        const Position p = position_of(of_.data, rows_.ids[found]);
        sq_far = std::max(sq_far, geometry::sq_distance_3d(at[0] - p[0], at[1] - p[1], at[2] - p[2]));
      }
    }
    return keeps_images_ ? of_.images.sq_filling(rows_.k, found - begin, sq_far) : sq_far;
  }

  /// Appends what row `i` of an answer, for a query that was searched `from` a place, has but the point `left_out`.
  void append(const Neighbors& answer, std::int64_t i, std::int64_t left_out, const Position& from,
              std::vector<Candidate>& candidates) const {
    for (std::int64_t at = i * answer.k; at < (i + 1) * answer.k; ++at) {
      const std::int32_t id = answer.ids[at];
      if (id == k_missing_id || id == left_out) continue;
      const Candidate found = candidate(position_of(of_.data, id).data(), id, from.data(), from.size(),
                                        is_within_ ? &*is_within_ : nullptr);
      if (!std::isnan(found.sq_dist)) candidates.push_back(found);  // it has no order; the coordinates have changed
    }
  }

  const PeriodicRows& of_;
  Neighbors& rows_;
  const bool keeps_images_;
  const bool drops_found_;             // a query's own data point, where its images find it
  const std::span<const double> own_;  // squared distances of its own images, where all count
  std::vector<std::uint8_t> is_mended_;
  std::optional<geometry::WithinRadius> is_within_;
};

}  // namespace

double PeriodicRows::bytes(std::int64_t queries, std::int64_t k, std::int64_t most) {
  const std::int64_t together = images_together(queries, k + 1);
  const auto images = static_cast<double>(
      std::min(queries * most,
               together + std::max(most, ImagedQueries::made_together(together, k_nearest_images) * k_nearest_images)));
  // The row of an image; its position, and its place in the order
  return images * (8 * static_cast<double>(k + 1) + 64);
}

Within PeriodicRows::mend(Neighbors& rows) const {
  if (valid_data == 0) return {};
  Mending mending(*this, rows);
  const ImagedQueries imaged{.images = images,
                             .extent = extent,
                             .queries = queries,
                             .sq_radius = [&](std::int64_t query) { return mending.sq_radius(query); },
                             .threads = threads};
  imaged.for_each(images_together(rows.queries, mending.list_size()),
                  [&](const QueryPlaces& places) { mending.add(places); });
  return mending.keep_within_radius();
}

}  // namespace kann::detail
