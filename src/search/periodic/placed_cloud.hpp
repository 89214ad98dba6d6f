// The points of a cloud where a search in a periodic box has them.
#pragma once

#include "kann/points.hpp"

#include "search/periodic/placement.hpp"

namespace kann::detail {

/// Its points in their order; invalid points stay so. A cloud of which no coordinate moves is not copied.
class PlacedCloud {
 public:
  /// `given` outlives this. Blocks. @throws Error resources.
  PlacedCloud(const PointsView& given, const Places& places, int threads);
  PlacedCloud(const PlacedCloud&) = delete;
  PlacedCloud& operator=(const PlacedCloud&) = delete;

  const PointsView& points() const { return points_; }

  /// Whether no point has moved.
  bool is_given() const { return is_given_; }

 private:
  PointsView points_;
  Points moved_;
  bool is_given_;
};

}  // namespace kann::detail
