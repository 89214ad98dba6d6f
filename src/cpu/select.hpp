// The shifted sort's selection: the k nearest of the windows that the shifts offer to a query.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/host_rows.hpp"
#include "cpu/names.hpp"
#include "cpu/placed_points.hpp"
#include "problem/problem.hpp"

namespace kann::cpu {

/// Queries that are searched together, at most: as many as the widest vector has lanes.
inline constexpr int k_select_team = 16;

template <int D>
struct Selection {
  const Problem* problem = nullptr;
  PlacedView<D> queries;              ///< ids: rows of the result
  std::vector<PlacedView<D>> orders;  ///< of the data; ids: indices in the first, places in the first in the others
  std::vector<const std::uint32_t*> ranks;  ///< of the queries, shift by shift
  HostRows rows;
};

/// CandidateBuffer the neighbours of queries [begin, end), all shifts of a team of queries one after the other. How far
/// the nearest of the first windows reach is found for the whole team at once, before anything is put into a list; so
/// few candidates get in, and those are picked out and merged without a branch. In a self-query, query i is the data
/// point at place i of the first order.
template <int D>
void select(const Selection<D>& selection, std::int64_t begin, std::int64_t end);

}  // namespace kann::cpu
