// Points and queries of a shifted sort in tiles, as they are in memory while a tile is searched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "geometry/doubt.hpp"
#include "problem/frame.hpp"
#include "tiles/shifts/order_key.hpp"

namespace kann::tiles {

/// A point of the data. T: of the coordinates as given.
template <class T, int D>
struct ShiftPoint {
  OrderKey key;            ///< in the shift at hand
  std::int64_t place = 0;  ///< in the order of shift 0, in later shifts
  float in_frame[D];
  T given[D];
};

/// A tile in the order of a shift, with the points of other tiles that windows of its queries reach.
template <class T, int D>
struct ShiftTile {
  std::int64_t first = 0;                ///< place of the first of these points in the order of all data
  std::vector<ShiftPoint<T, D>> points;  ///< ascending
};

/// A query between two shifts.
template <class T, int D>
struct ShiftQuery {
  std::int64_t row = 0;
  T given[D];
  float in_frame[D];
  geometry::Evidence evidence;
  std::int64_t first_begin = 0;  ///< of its window in shift 0
  /// Of the ends of that window: the number of the lowest bits in which a code differs from the query's, 65 if the
  /// window has all data; and the smallest squared distance of one among points of one cell.
  std::int32_t end_bits = 65;
  float nearest_cut = std::numeric_limits<float>::infinity();
};

/// Sets the coordinates of a point or a query.
template <int D, class T, class Point>
void place(const problem::Frame& frame, const T* given, Point& to) {
  std::copy_n(given, D, to.given);
  for (int a = 0; a < D; ++a) to.in_frame[a] = frame.apply(static_cast<double>(given[a]), a);
}

}  // namespace kann::tiles
