// AccuracyOptions::periodic and sky: where points are judged, and distances to nearest images.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/points.hpp"

#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/coordinates.hpp"

namespace kann::accuracy {

/// The sides of a periodic box, in the scale of the coordinates; 0 for an axis that is not periodic. A side that
/// overflows in this scale is longer than any difference.
struct Sides {
  std::array<double, 3> length{};

  Sides() = default;

  /// The sides in AccuracyOptions::periodic.
  explicit Sides(const std::vector<double>& sides) {
    std::copy_n(sides.begin(), std::min(sides.size(), length.size()), length.begin());
  }

  bool any() const { return length[0] > 0 || length[1] > 0 || length[2] > 0; }

  /// The difference of the smallest magnitude between `point` and the query or an image of it. Both must be placed.
  double component(double query, double point, int axis) const {
    const double side = length[axis];
    const double at = query - point;
    if (!(side > 0)) return at;
    const double left = (query - side) - point, right = (query + side) - point;
    const double image = std::abs(left) < std::abs(right) ? left : right;
    return std::abs(image) < std::abs(at) ? image : at;
  }

  Sides scaled(double factor) const;
};

/// sq_distance() between `point` and the nearest image of `query`.
double sq_distance(const double* query, const double* point, const Sides& sides, int dimensions);

/// d² in the periodic box, if any side is not 0; otherwise the ordinary sq_distance().
inline double sq_distance_in(const double* query, const double* point, const Sides& sides, int dimensions) {
  return sides.any() ? sq_distance(query, point, sides, dimensions) : sq_distance(query, point, dimensions);
}

/// Calls f() with a query, and then with those images of it that Sides::component() compares.
template <class F>
void for_each_image(const std::array<double, 3>& query, const Sides& sides, F&& f) {
  constexpr int steps[] = {0, -1, 1};
  for (const int x : steps)
    for (const int y : steps)
      for (const int z : steps) {
        const std::array<int, 3> step{x, y, z};
        std::array<double, 3> image = query;
        bool exists = true;
        for (int a = 0; a < 3; ++a) {
          const double side = sides.length[a];
          exists &= step[a] == 0 || (side > 0 && side < std::numeric_limits<double>::infinity());
          if (exists && step[a] != 0) image[a] += step[a] * side;
        }
        if (exists) f(image);
      }
}

/// A cloud, moved to where it is judged in a periodic box. Consider an axis of side L. If `data`, the extent of the
/// data as given, is at most 1.25 L wide and lies within 2 L of 0, the data stay. (If they are L wide, points at the
/// upper end move to the lower end, provided that this is exact.) Queries farther than 0.63 L from the middle of the
/// data become std::remainder() plus the multiple of L that brings them nearest to the middle; the sum is rounded once.
/// Otherwise, the coordinates of both clouds become std::remainder().
class PlacedPoints {
 public:
  enum class Role { data, queries };

  /// The coordinates in `given` must outlive this object. Without sides they are not copied, unless `is_sky`: then they
  /// become those of on_sphere(). @throws Error resources, std::bad_alloc.
  PlacedPoints(const PointsView& given, Role role, const Extent& data, const Sides& sides, bool is_sky);

  operator PointsView() const { return moved_ ? PointsView(*moved_) : given_; }

 private:
  PointsView given_;
  std::unique_ptr<const Points> moved_;
};

/// Where both clouds are judged, and in which scale.
struct Placement {
  /// @param given facts about the clouds as given, of so many dimensions
  Placement(const CloudFacts& given, int dimensions, const AccuracyOptions& options);

  Extent data_as_given;
  Sides sides;
  bool is_sky;
  CloudFacts facts;  ///< about the placed clouds; their boxes may be larger than those of the points
  double scale;      ///< that of coordinates() and of distances
  Sides scaled_sides;
  std::optional<double> radius;  ///< as a straight distance, not scaled

  PlacedPoints place(const PointsView& points, PlacedPoints::Role role) const {
    return {points, role, data_as_given, sides, is_sky};
  }
};

}  // namespace kann::accuracy
