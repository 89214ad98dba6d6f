// The exact method's search: down a tree of boxes, past those that can hold nothing nearer.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/boxes.hpp"
#include "cpu/host_rows.hpp"
#include "cpu/names.hpp"
#include "cpu/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Queries that descend together: the buckets near any of them are found once (2¹⁸ queries, k = 8: 80 ms on a thread,
/// and 83 with 8 together). As many as the widest vector has lanes, so that it bounds all of them at once.
inline constexpr int k_nearest_team = 16;

template <int D>
struct NearestSearch {
  const Problem* problem = nullptr;
  PlacedView<D> data;                               ///< in Morton order; ids: indices
  const std::vector<BoxLevel<D>>* boxes = nullptr;  ///< over them
  PlacedView<D> queries;                            ///< ids: rows of the result
  const std::uint32_t* ranks = nullptr;             ///< of the queries among the data
  HostRows rows;
};

/// CandidateBuffer the neighbours of queries [begin, end). A bound comes from the points around the query's rank before
/// the descent, so that lists begin empty and every point is met once. A box is passed by when (the chain of
/// sq_distance on the gaps between it and the query, the smallest index in it) is not below the list's last key: the
/// chain is monotone in every gap, rounding included, so that no point in the box has a smaller key. In a self-query,
/// query i is the data point at place i.
template <int D>
void find_nearest(const NearestSearch<D>& search, std::int64_t begin, std::int64_t end);

}  // namespace kann::cpu
