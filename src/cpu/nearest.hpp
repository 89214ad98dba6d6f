// The search of the exact method: a descent through a tree of boxes that skips those that can hold nothing nearer.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/boxes.hpp"
#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Queries that descend together, so that the buckets near any of them are found once (2¹⁸ queries, k = 8: 80 ms on one
/// thread, 83 with 8 queries together). As many as the widest vector has lanes, which bounds all of them at once.
inline constexpr int k_nearest_team = 16;

template <int D>
struct NearestSearch {
  const Problem* problem = nullptr;
  PlacedView<D> data;                               ///< along the Hilbert curve; ids: indices
  const std::vector<BoxLevel<D>>* boxes = nullptr;  ///< over them
  PlacedView<D> queries;                            ///< ids: rows of the result
  const std::uint32_t* ranks = nullptr;             ///< of the queries among the data
  HostRows rows;
};

/// Finds the neighbours of queries [begin, end). A bound comes from the points around the query's rank before the
/// descent, so that lists begin empty and no point is inserted twice. A box is skipped when (sq_distance() of the gaps
/// between it and the query, the smallest index in it) is not below the list's last key: sq_distance() is monotone in
/// every gap, rounding included, so that no point in the box has a smaller key. In a self-query, query i is the data
/// point at place i.
template <int D>
void find_nearest(const NearestSearch<D>& search, std::int64_t begin, std::int64_t end);

}  // namespace kann::cpu
