// Neighbours within limits of each query's own: no farther, no nearer, and not those that it names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kann/groups.hpp"
#include "kann/index.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

namespace kann {

/// What a query allows its neighbours to be. Distances are in the unit of SearchOptions::radius, at least 0, and
/// infinite for no limit: one for each query, or one for all. What is empty is no limit.
struct Limits {
  std::span<const double> radii;      ///< instead of SearchOptions::radius: no neighbour is farther, d² ≤ R · R
  std::span<const double> min_radii;  ///< no neighbour is nearer: d² ≥ r · r
  std::span<const std::int32_t> excluded;  ///< as many data points for each query, which are no neighbours of it; a
                                           ///< negative one is none
};

/// The clouds of a search with limits.
struct LimitedClouds {
  PointsView data;
  std::optional<PointsView> queries = {};  ///< none: the data, no point of which is its own neighbour unless
                                           ///< SearchOptions::include_self
  const Index* index = nullptr;            ///< of the data; null: one is made
  std::optional<Groups> groups = {};
};

/// Does what search(), or search_groups(), does, but a row has the k nearest of the data points that the limits allow.
/// In a periodic box, d² is that of NeighborVectors where it decides between points that are as far in float32. Every
/// query is searched for a few more neighbours than k, then those without enough for eight times as many, until
/// all have them or have seen all. Blocks.
/// @throws Error usage (an approximate method, limits below 0 or not one for each query), bad_input (an excluded point
///         that is none of the data), and as search() and search_groups().
SearchResult search_limited(const LimitedClouds& clouds, const Limits& limits, const SearchOptions& options);

/// The same for search_radius(). Queries whose radii are within a factor of 2 are searched together, so that small
/// radii cost no more because there are large ones. @throws as search_limited() and search_radius().
RadiusResult search_radius_limited(const LimitedClouds& clouds, const Limits& limits, const SearchOptions& options);

/// The same for count_radius(). It takes the time and, for queries with similar radii, the memory of
/// search_radius_limited(). @throws as that.
RadiusResult count_radius_limited(const LimitedClouds& clouds, const Limits& limits, const SearchOptions& options);

}  // namespace kann
