// SearchOptions::sky: rows that were found among the unit vectors of points on a sphere.
#pragma once

#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

namespace kann::detail {

/// The options of the search among unit vectors: exact, with the chord of the radius.
SearchOptions options_of_vectors(const SearchOptions& options);

/// Turns rows that were found among unit vectors into rows of the sphere: sets the distances, and puts each row into
/// the order of (distance, id). Blocks.
void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          Neighbors& rows);
void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          NeighborLists& lists);

}  // namespace kann::detail
