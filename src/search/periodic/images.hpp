// The images of queries in a periodic box that may have data points nearby.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"

#include "geometry/box.hpp"
#include "search/periodic/periodic_box.hpp"

namespace kann::detail {

/// Appends the positions of those images of `query`, other than itself, from which a point within `extent` may be at a
/// squared distance of at most `sq_radius`; d coordinates per image. Returns how many there are, at most 3^d − 1.
int append_images(const PeriodicBox& box, const geometry::Box& extent, const Position& query, double sq_radius,
                  Array<double>& out);

/// The most images that a query has, but itself.
inline constexpr std::int64_t k_most_images = 26;

/// The places at which some queries are searched.
struct QueryPlaces {
  std::vector<std::int64_t> queries;    ///< their numbers, ascending
  std::vector<std::int64_t> begins{0};  ///< where the places of each begin; then how many there are
  Array<double> positions;

  std::int64_t size() const { return begins.back(); }
  PointsView view(int dimensions) const { return {dimensions, std::span<const double>(positions)}; }
};

/// The lists of `count` of the queries, from the one at `first` on, from those of their places: each point once, at its
/// least distance, in the order of (distance, id). Blocks.
/// @param found the lists of the places of these queries, one after the other
/// @param keeps(i, id) whether the list of query i, from `first` on, has that point
NeighborLists lists_of_queries(const QueryPlaces& places, std::int64_t first, std::int64_t count,
                               const NeighborLists& found, int threads,
                               const std::function<bool(std::int64_t i, std::int32_t id)>& keeps = nullptr);

/// Queries in a periodic box that are searched in a cloud: all of the data, or a part of them.
struct ImagedQueries {
  const PeriodicBox& box;
  geometry::Box extent;  ///< around the points of the cloud
  PointsView queries;

  /// Whether the query itself is the first of its places. Else these are its images, and queries without any are left
  /// out.
  bool has_queries = false;

  /// The squared distance within which points are looked for; negative: the query has no places.
  std::function<double(std::int64_t query)> sq_radius;
  int threads = 1;

  /// Appends the places of `count` queries from number `first` on. Blocks.
  void append(std::int64_t first, std::int64_t count, QueryPlaces& out) const;

  /// How many queries have their places made together, so that there are about `places` of them.
  static std::int64_t made_together(std::int64_t places) {
    return std::clamp<std::int64_t>(places / k_most_images, 1, 1 << 16);
  }

  /// Calls f() with the places of all queries, at least `most` places at a time, and less than twice as many. Blocks.
  void for_each(std::int64_t most, const std::function<void(const QueryPlaces&)>& f) const;
};

}  // namespace kann::detail
