// Where all images in a periodic box are neighbours: which image of its point each of them is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

struct ShiftOptions {
  std::vector<double> periodic = {};  ///< SearchOptions::periodic of the search that found the neighbours
  /// The place of each query among the data, for lists with half of the pairs: these have one of a point's own images
  /// at S and −S, that whose first number that is not 0 is positive. Empty: all pairs.
  std::span<const std::int64_t> half_of = {};
  int threads = 0;  ///< CPU threads; 0: all of the machine
};

/// Finds the shift S of each neighbour: the vector from query q to it is data[id] − q + S · box, with the vectors by
/// which the box repeats as rows, and coordinates as given, which need not lie in the box. Images that are equally far
/// from the query are in the order of their shifts.
/// @param rows of a search with Images::all, or one in which each point is there once, by its nearest image; ids are
///        rows of `data`
/// @return d numbers for each place of the rows; 0 for missing neighbours
/// @throws Error usage (the box), bad_input (rows of other clouds or another box, a shift past int32), resources.
///         Blocks.
Array<std::int32_t> image_shifts(const PointsView& data, const PointsView& queries, const Rows& rows,
                                 const ShiftOptions& options);

}  // namespace kann
