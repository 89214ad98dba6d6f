// The shifted sort of one query, a shift at a time: what cpu/select.cpp does with all shifts in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "geometry/window.hpp"
#include "geometry/within_radius.hpp"
#include "problem/problem.hpp"
#include "tiles/shifts/nearest_seen.hpp"
#include "tiles/shifts/shift_points.hpp"

namespace kann::tiles {

/// The window of a query in a shift, whose key there is `key`.
template <class T, int D>
geometry::Window window_of(const problem::Problem& p, const ShiftTile<T, D>& tile, std::uint64_t key);

/// Searches the query's window in a shift; the shifts come in their order, and each has the query in the tile that
/// Splitters::of_query() says. `p` is the search in all of the data, without the points themselves. What is not
/// `within` the radius, where there is one, is not given: it is seen as without a radius.
/// @pre the tile has all points that are in the query's window.
template <class T, int D>
void search_window(const problem::Problem& p, int shift, const ShiftTile<T, D>& tile,
                   const std::optional<geometry::WithinRadius>& within, ShiftQuery<T, D>& query,
                   const NearestSeen& seen);

/// Whether the row of a query that was searched in all shifts is doubtful.
template <class T, int D>
bool is_doubtful(const problem::Problem& p, const ShiftQuery<T, D>& query, const NearestSeen& seen);

/// The distance that is written of a squared distance in the frame.
float written_distance(const problem::Problem& p, float sq_dist);

/// The row of a query that was searched in all shifts and is not doubtful.
void write_row(const problem::Problem& p, const NearestSeen& seen, std::span<std::int64_t> ids,
               std::span<float> distances);

}  // namespace kann::tiles
