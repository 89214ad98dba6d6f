// The images of queries in a periodic box that may have data points nearby.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "geometry/box.hpp"
#include "geometry/periodic_box.hpp"
#include "search/periodic/placement.hpp"

namespace kann::detail {

using geometry::k_most_images;

/// So many may be the nearest of a point, in a box with right angles.
inline constexpr std::int64_t k_nearest_images = 26;

/// Which images of queries in a periodic box are searched.
struct ImageRule {
  /// @param is_of_lists the options ask for all neighbours within the radius, else for k
  explicit ImageRule(const SearchOptions& options, bool is_of_lists = false);

  /// Where images of queries are that may have points of a box nearby. It refers to this object.
  geometry::NearImages near(const geometry::Box& extent) const {
    return {box, extent, only_nearest ? geometry::NearImages::Of::nearest : geometry::NearImages::Of::placed};
  }

  PeriodicBox box;
  bool only_nearest;  ///< those that may be the nearest image of a point; else all in reach
  bool has_radius;
  std::int64_t most = k_nearest_images;  ///< images of a query that there may be

  /// Where all images are neighbours: the squared lengths of the vectors by which the box repeats, ascending, those
  /// within the radius, for rows the k shortest of them. They are the distances of each data point from its own images,
  /// and come in equal pairs.
  std::vector<double> sq_lengths;

  /// Where all images are neighbours, a squared distance within which the images of `found` points, none of these
  /// farther than `sq_far`, fill the row of a query; infinite if that is beyond the radius. @throws Error usage, as
  /// refuse_images().
  double sq_filling(std::int64_t k, std::int64_t found, double sq_far) const;

  /// Whether a point within this squared distance of two images of a query is its neighbour once.
  bool may_repeat(double sq_radius) const {
    constexpr double above_four = 4.01;  // by far more than what is rounded
    return only_nearest && !(above_four * sq_radius < box.shortest() * box.shortest());
  }
};

/// Calls f(position) for the images of a query that geometry::NearImages::for_each() finds. @throws Error usage, as
/// refuse_images().
template <class F>
void for_each_image(const geometry::NearImages& near, const Position& query, double sq_radius, F f) {
  std::int64_t count = 0;
  near.for_each(query, sq_radius, [&](const geometry::Shift&, const Position& image) {
    if (++count > k_most_images) geometry::refuse_images();
    f(image);
    return true;
  });
}

/// The places at which some queries are searched.
struct QueryPlaces {
  std::vector<std::int64_t> queries;    ///< their numbers, ascending
  std::vector<std::int64_t> begins{0};  ///< where the places of each begin; then how many there are
  Array<double> positions;

  std::int64_t size() const { return begins.back(); }
  PointsView view(int dimensions) const { return {dimensions, std::span<const double>(positions)}; }
};

/// The lists of queries from those of their places, in the order of (distance, id). Blocks.
/// @param found the lists of the places, one after the other
/// @param first_own query i is data point first_own + i, which is in its list at the squared distances `own` alone;
///        negative: it is none
NeighborLists lists_of_queries(const QueryPlaces& places, const NeighborLists& found, std::int64_t first_own,
                               const std::vector<double>& own, int threads);

/// Queries in a periodic box that are searched in a cloud: all of the data, or a part of them.
struct ImagedQueries {
  const ImageRule& images;
  geometry::Box extent;  ///< around the points of the cloud
  PointsView queries;

  /// Whether the query itself is the first of its places. Else these are its images, and queries without any are left
  /// out.
  bool has_queries = false;

  /// The squared distance within which points are looked for; negative: the query has no places.
  std::function<double(std::int64_t query)> sq_radius;
  int threads = 1;

  /// Appends the places of `count` queries from number `first` on. Blocks. @throws Error usage: a query has more than
  /// k_most_images.
  void append(std::int64_t first, std::int64_t count, QueryPlaces& out) const;

  /// How many queries have their places made together, so that there are about `places` of them.
  static std::int64_t made_together(std::int64_t places, std::int64_t most_images) {
    return std::clamp<std::int64_t>(places / most_images, 1, 1 << 16);
  }

  /// Calls f() with the places of all queries, at least `most` places at a time, and less than twice as many. Blocks.
  void for_each(std::int64_t most, const std::function<void(const QueryPlaces&)>& f) const;
};

}  // namespace kann::detail
