// The points of a cloud within one periodic box.
#pragma once

#include "kann/points.hpp"

#include "search/periodic/periodic_box.hpp"

namespace kann::detail {

/// Its points in their order, each coordinate by PeriodicBox::wrap(); invalid points stay so. A cloud that lies in the
/// box is not copied.
class WrappedCloud {
 public:
  /// `given` outlives this. Blocks. @throws Error resources.
  WrappedCloud(const PointsView& given, const PeriodicBox& box, int threads);
  WrappedCloud(const WrappedCloud&) = delete;
  WrappedCloud& operator=(const WrappedCloud&) = delete;

  const PointsView& points() const { return points_; }

  /// Whether no point has moved.
  bool is_given() const { return is_given_; }

 private:
  PointsView points_;
  Points moved_;
  bool is_given_;
};

}  // namespace kann::detail
