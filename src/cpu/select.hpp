// Selection of the shifted sort: the k nearest points of a query's windows in all shifts.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/vector/host_rows.hpp"
#include "cpu/vector/names.hpp"
#include "cpu/vector/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Maximum number of queries that are searched together: the lanes of the widest vector.
inline constexpr int k_select_team = 16;

/// The data in the order of a shift.
template <int D>
struct SelectionOrder {
  PlacedView<D> points;                   ///< ids: indices
  const std::uint32_t* places = nullptr;  ///< places of the points in the order of shift 0; null if this is shift 0
  const std::uint32_t* ranks = nullptr;   ///< ranks of the queries
};

template <int D>
struct Selection {
  const Problem* problem = nullptr;
  PlacedView<D> queries;  ///< ids: rows of the result
  /// Where the queries are in the first order, in a part of a self-query; null: query i is at place i.
  const std::uint32_t* own_places = nullptr;
  std::vector<SelectionOrder<D>> orders;  ///< shift by shift
  HostRows rows;
};

/// Finds the neighbours of queries [begin, end), a team at a time, in one shift after the other. The first windows
/// bound the distances of the whole team before anything is inserted; few candidates are then within the bounds, and
/// they are compressed and merged without a branch. In a self-query, query i is the data point at place i of the first
/// order, or at own_places[i].
template <int D>
void select(const Selection<D>& selection, std::int64_t begin, std::int64_t end);

}  // namespace kann::cpu
