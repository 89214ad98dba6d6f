// AccuracyOptions::radius: which points are too far away to be neighbours.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/points.hpp"

#include "products/accuracy/coordinates.hpp"
#include "products/accuracy/periodic.hpp"

namespace kann::accuracy {

/// Compares d² with R² by the definition of SearchOptions::radius: from the coordinates as given, not from scaled ones,
/// since a judge has another scale for every pair of clouds.
class Radius {
 public:
  /// Without a radius, no point is excluded. Both clouds must outlive this object. @param scale that of d²
  Radius(std::optional<double> radius, const PointsView& data, const PointsView& queries, const PeriodicCell& cell,
         double scale);

  /// The same radius among other data.
  Radius among(const PointsView& data) const {
    Radius other = *this;
    other.data_ = {data, 1};
    return other;
  }

  /// Whether data point `id` is farther than the radius from `query`, at a scaled d². Both must be valid.
  bool excludes(std::int64_t query, std::int64_t id, double sq_dist) const;

 private:
  bool is_limited_;
  double factor_ = 1, sq_radius_ = 0, scaled_sq_radius_ = 0;
  Coordinates data_, queries_;
  PeriodicCell cell_;
};

}  // namespace kann::accuracy
