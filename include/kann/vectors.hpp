// What rows do not say of neighbours: how far away they are in float64, the vectors to them, and which images of their
// points they are in a periodic box.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"
#include "kann/sky.hpp"

namespace kann {

struct VectorOptions {
  bool distances = false, vectors = false, shifts = false;  ///< which of these are made
  std::vector<double> periodic = {};  ///< SearchOptions of the search that found the neighbours, as the next two
  Images images = Images::nearest;    ///< for shifts, Images::all serves both
  std::optional<AngleUnit> sky = {};  ///< only with distances
  /// The place of each query among the data, for lists with half of the pairs: these have one of a point's own images
  /// at S and −S, that whose first number that is not 0 is positive. Empty: all pairs.
  std::span<const std::int64_t> half_of = {};
  int threads = 0;  ///< CPU threads; 0: all of the machine
};

/// What VectorOptions asks for, each for the places of all rows; else empty.
struct NeighborVectors {
  Array<double> distances;     ///< infinite for missing neighbours
  Array<double> vectors;       ///< d numbers each, NaN for missing neighbours
  Array<std::int32_t> shifts;  ///< d numbers each, 0 for missing neighbours
};

/// Finds the vectors from queries to their neighbours: v = data[id] − q + S · box, where the box has the vectors by
/// which it repeats as rows, S is the shift of the neighbour, and coordinates are as given, which need not lie in the
/// box. Images that are equally far from the query are in the order of their shifts.
///
/// A distance is √d², correctly rounded to float64, where d² is what Method::exact compares; so the distance of the
/// search is this one, rounded once more. In a box, a search moves coordinates, and d² may be rounded otherwise. On the
/// sphere, it is sphere_distance() of d².
/// @param rows of a search with Images::all, or one in which each point is there once, by its nearest image; ids are
///        rows of `data`
/// @throws Error usage (the box, vectors on the sphere), bad_input (rows of other clouds or another box, a shift past
///         int32), resources. Blocks.
NeighborVectors neighbor_vectors(const PointsView& data, const PointsView& queries, const Rows& rows,
                                 const VectorOptions& options);

}  // namespace kann
