// The valid points of a cloud without repetitions. A k-d tree over all of 100,000 equal points would visit each of them
// for every query, as all of them are as far away as the k-th neighbour.
#pragma once

#include <cstdint>
#include <span>

#include "kann/array.hpp"

#include "products/accuracy/coordinates.hpp"

namespace kann::accuracy {

struct DistinctPoints {
  Array<double> coordinates;   ///< row-major; equal points occur once
  Array<std::int32_t> ids;     ///< row numbers in the cloud, grouped by distinct point, ascending in each group
  Array<std::uint32_t> first;  ///< where the ids of each distinct point begin, then the number of ids
  std::int64_t valid = 0;      ///< number of points with finite coordinates

  std::int64_t size() const { return static_cast<std::int64_t>(first.size()) - 1; }
  std::span<const std::int32_t> ids_of(std::size_t point) const {
    return {&ids[first[point]], first[point + 1] - first[point]};
  }
};

/// Two points are equal if all their coordinates are; 0 equals −0. The distinct points are in the order of
/// rows_by_cell(). `extent` is the box of the points. @throws std::bad_alloc.
DistinctPoints distinct_points(const Coordinates& points, std::int64_t count, const Extent& extent, int threads);

}  // namespace kann::accuracy
