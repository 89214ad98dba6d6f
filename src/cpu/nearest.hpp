// The exact method's search: down a tree of boxes, past those that can hold nothing nearer.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/boxes.hpp"
#include "cpu/placed.hpp"
#include "cpu/rows.hpp"
#include "problem.hpp"

namespace kann::cpu {

/// Queries that descend together: the buckets near any of them are found once (2²⁰ queries, k = 8: 450 ms on a thread
/// against 612; 4 or 16 together are no better).
inline constexpr int k_nearest_team = 8;

template <int D>
struct NearestSearch {
  const Problem* problem = nullptr;
  PlacedView<D> data;                               ///< in Morton order; ids: indices
  const std::vector<BoxLevel<D>>* boxes = nullptr;  ///< over them
  PlacedView<D> queries;                            ///< ids: rows of the result
  const std::uint32_t* ranks = nullptr;             ///< of the queries among the data
  Rows rows;
};

/// Finds the neighbours of queries [begin, end). The list begins with the points around the query's rank, so that it is
/// nearly right before the descent. A box is passed by when (the chain of sq_distance on the gaps between it and the
/// query, the smallest index in it) is not below the list's last key: the chain is monotone in every gap, rounding
/// included, so that no point in the box has a smaller key. In a self-query, query i is the data point at place i.
template <int D>
void find_nearest(const NearestSearch<D>& search, std::int64_t begin, std::int64_t end);

}  // namespace kann::cpu
