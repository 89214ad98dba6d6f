// Chooses pairs of points from neighbours: those that are each other's nearest, or at most one for each point.
#pragma once

#include <cstdint>

#include "kann/neighbors.hpp"
#include "kann/radius.hpp"

namespace kann {

/// The pairs of which each is the nearest of the other.
/// @param of_queries the nearest data point of each of m queries: m × 1
/// @param of_data    the nearest query of each of n data points: n × 1; for a self-query, the same rows
/// @return m × 1: the rows of `of_queries`, k_missing_id and infinity where they are not mutual
/// @throws Error bad_input: rows of another length, or ids that are no rows of the other side.
Neighbors mutual_pairs(const Neighbors& of_queries, const Neighbors& of_data);

struct OneToOnePairs {
  Neighbors pairs;  ///< m × 1: the partner of each query, or k_missing_id and infinity
  /// Queries without a partner whose row is full, so that it may not have all neighbours: k may have cut off a partner.
  /// If there are none, the pairs are those that rows without an end would give. 0 for lists.
  std::int64_t cut_off = 0;
};

/// Pairs in which each query and each data point is at most once: the pair with the smallest (distance, query, id) is
/// taken, all other pairs of its two points are dropped, and so on. In other words, the stable matching (Gale and
/// Shapley 1962) of queries and data points that prefer each other by distance, which takes time in proportion to the
/// number of neighbours, and no sorting. On one thread; memory: 16 bytes per query and per data point.
/// @param rows        the neighbours of m queries, such as Neighbors or NeighborLists
/// @param data_points number of the data points
/// @throws Error bad_input: ids that are no data points; usage: ids of 64 bits.
OneToOnePairs one_to_one_pairs(const Rows& rows, std::int64_t data_points);

}  // namespace kann
