// The points of a cloud, moved to where a search has them.
#pragma once

#include <utility>

#include "kann/points.hpp"

#include "search/periodic/placement.hpp"

namespace kann::detail {

/// The moved points, in the order of the cloud; invalid points stay invalid. If no coordinate moves, the cloud is not
/// copied.
class PlacedCloud {
 public:
  /// `given` must outlive this object. Blocks. @throws Error resources.
  PlacedCloud(const PointsView& given, const Places& places, int threads);

  /// Points that have moved already.
  explicit PlacedCloud(Points moved) : moved_(std::move(moved)), is_given_(false) { points_ = moved_; }
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
