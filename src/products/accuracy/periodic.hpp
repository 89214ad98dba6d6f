// AccuracyOptions::periodic: distances to nearest images, and the exact answer by these distances.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kann/points.hpp"

#include "products/accuracy/cloud_facts.hpp"
#include "products/accuracy/coordinates.hpp"
#include "products/accuracy/reference_tree.hpp"

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

/// The facts about clouds once they are placed; their boxes may be larger than those of the points. Without sides, they
/// are the given ones, unless `is_sky`.
CloudFacts placed_facts(const CloudFacts& given, const Sides& sides, bool is_sky);

/// ReferenceTree::nearest() by the distances in a periodic box: merges the nearest points to each image of the query.
/// `extent` is a box that holds the points in `tree`; these and the query must be placed.
void nearest_in_box(const ReferenceTree& tree, const Extent& extent, const Sides& sides, int dimensions,
                    const double* query, const LeftOut& left_out, std::vector<Nearest>& nearest);

}  // namespace kann::accuracy
