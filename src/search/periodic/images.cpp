#include "search/periodic/images.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/threads/parallel.hpp"
#include "geometry/exact_neighbor.hpp"
#include "geometry/within_radius.hpp"

namespace kann::detail {

/// ImageRule::sq_lengths. For lists, a radius that has more than k_most_images of them is refused later.
static std::vector<double> sq_lengths_of(const PeriodicBox& box, std::int64_t k, const std::optional<double>& radius,
                                         bool is_of_lists) {
  std::vector<double> found;
  const auto find = [&](double sq_radius, std::int64_t most) {
    found.clear();
    geometry::NearImages(box, {}).for_each({}, sq_radius, [&](const geometry::Shift&, const Position& image) {
      if (!radius || geometry::WithinRadius(*radius)(image)) found.push_back(geometry::sq_length(image));
      return std::ssize(found) <= most;
    });
    std::ranges::sort(found);
  };
  const double sq_bound = radius ? geometry::WithinRadius(*radius).sq_bound() : std::numeric_limits<double>::infinity();
  if (is_of_lists) {
    find(sq_bound, k_most_images);
    return found;
  }
  constexpr double wider = 1.3;
  const std::int64_t most = std::min(k, k_most_images);
  for (double sq_radius = box.shortest() * box.shortest(); std::ssize(found) < most && sq_radius <= sq_bound;)
    find(sq_radius *= wider, std::numeric_limits<std::int64_t>::max());
  if (std::ssize(found) > most) found.resize(static_cast<std::size_t>(most));
  return found;
}

/// How many vectors are no longer than this, of k_most_images at most.
static std::int64_t count_of(const PeriodicBox& box, double length) {
  std::int64_t count = 0;
  geometry::NearImages(box, {}).for_each(
      {}, length * length, [&](const geometry::Shift&, const Position&) { return ++count < k_most_images; });
  return std::max(count, k_nearest_images);
}

ImageRule::ImageRule(const SearchOptions& options, bool is_of_lists)
    : box(options.periodic), only_nearest(options.images == Images::nearest), has_radius(options.radius.has_value()) {
  if (only_nearest && !box.is_slanted()) return;
  constexpr double apart = 1.3;  // diagonals: a Placement puts a query and a point 1.26 from each other at most
  double reach = only_nearest ? 1.001 * box.farthest_nearest() : std::numeric_limits<double>::infinity();
  if (options.radius) reach = std::min(reach, *options.radius);
  most = k_most_images;
  if (std::isfinite(reach)) most = count_of(box, reach + apart * box.diagonal());
  if (!only_nearest) sq_lengths = sq_lengths_of(box, options.k, options.radius, is_of_lists);
}

double ImageRule::sq_filling(std::int64_t k, std::int64_t found, double sq_far) const {
  // Each point found has so many images that are as near to it, and so near to the query
  const std::int64_t of_each = found == 0 ? k : (k - 1) / found;
  if (of_each > std::ssize(sq_lengths)) {
    if (has_radius) return std::numeric_limits<double>::infinity();
    geometry::refuse_images();
  }
  const double apart = of_each == 0 ? 0 : sq_lengths[static_cast<std::size_t>(of_each) - 1];
  double far = std::sqrt(sq_far);
  if (box.repeats(0) && box.repeats(1) && box.repeats(2)) far = std::min(far, box.farthest_nearest());
  const double radius = (far + std::sqrt(apart)) * (1 + 0x1p-20);
  return radius * radius;
}

void ImagedQueries::append(std::int64_t first, std::int64_t count, QueryPlaces& out) const {
  constexpr std::int64_t grain = 1024;
  const geometry::NearImages near = images.near(extent);
  std::vector<QueryPlaces> parts(static_cast<std::size_t>((count + grain - 1) / grain));
  base::parallel_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    QueryPlaces& part = parts[static_cast<std::size_t>(begin / grain)];
    for (std::int64_t query = first + begin; query < first + end; ++query) {
      const Position at = position_of(queries, query);
      std::int64_t places = 0;
      const auto add = [&](const Position& place) {
        ++places;
        part.positions.insert(part.positions.end(), place.begin(), place.begin() + queries.dimensions);
      };
      if (const double sq_bound = sq_radius(query); sq_bound >= 0) {
        if (has_queries) add(at);
        for_each_image(near, at, sq_bound, add);
      }
      if (places == 0 && !has_queries) continue;
      part.queries.push_back(query);
      part.begins.push_back(part.begins.back() + places);
    }
  });
  for (const QueryPlaces& part : parts) {
    const std::int64_t before = out.size();
    out.queries.insert(out.queries.end(), part.queries.begin(), part.queries.end());
    for (std::size_t i = 1; i < part.begins.size(); ++i) out.begins.push_back(before + part.begins[i]);
    out.positions.insert(out.positions.end(), part.positions.begin(), part.positions.end());
  }
}

NeighborLists lists_of_queries(const QueryPlaces& places, const NeighborLists& found, std::int64_t first_own,
                               const std::vector<double>& own, int threads) {
  using Row = std::vector<std::pair<float, std::int32_t>>;
  const auto row_of = [&](std::int64_t i, Row& row) {
    const std::int64_t first = places.begins[static_cast<std::size_t>(i)],
                       last = places.begins[static_cast<std::size_t>(i) + 1];
    const std::int64_t number = first_own < 0 ? -1 : first_own + i;
    row.clear();
    for (std::int64_t at = found.begins[first]; at < found.begins[last]; ++at)
      if (found.ids[at] != number) row.emplace_back(found.distances[at], found.ids[at]);
    if (number >= 0 && first < last)
      for (const double sq_dist : own)
        row.emplace_back(geometry::rounded_root(sq_dist), static_cast<std::int32_t>(number));
    std::ranges::sort(row);
  };
  constexpr std::int64_t grain = 256;
  const std::int64_t count = std::ssize(places.queries);
  std::vector<NeighborLists> parts(static_cast<std::size_t>((count + grain - 1) / grain));
  base::parallel_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    NeighborLists& part = parts[static_cast<std::size_t>(begin / grain)];
    Row row;
    for (std::int64_t i = begin; i < end; ++i) {
      row_of(i, row);
      part.begins.push_back(std::ssize(row));
      for (const auto& [distance, id] : row) {
        part.ids.push_back(id);
        part.distances.push_back(distance);
      }
    }
  });
  NeighborLists lists;
  lists.begins.push_back(0);
  for (NeighborLists& part : parts) {
    for (const std::int64_t size : part.begins) lists.begins.push_back(lists.begins.back() + size);
    lists.ids.insert(lists.ids.end(), part.ids.begin(), part.ids.end());
    lists.distances.insert(lists.distances.end(), part.distances.begin(), part.distances.end());
    part = {};
  }
  return lists;
}

void ImagedQueries::for_each(std::int64_t most, const std::function<void(const QueryPlaces&)>& f) const {
  const std::int64_t all = queries.size();
  std::int64_t block = made_together(most, images.most);
  for (std::int64_t end = 0; end < all;) {
    QueryPlaces places;
    while (end < all && places.size() < most) {
      const std::int64_t some = std::min(block, all - end), before = places.size();
      append(end, some, places);
      end += some;
      // Where a query may have thousands of images, those before it say how many it has
      const std::int64_t each = std::max(k_nearest_images, 2 * (places.size() - before) / some);
      block = std::min(4 * block, made_together(most, std::min(each, images.most)));
    }
    if (!places.queries.empty()) f(places);
  }
}

}  // namespace kann::detail
