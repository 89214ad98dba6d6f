// AccuracyOptions::periodic: distances to nearest images, and the exact answer by them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kann/points.hpp"

#include "accuracy/coordinates.hpp"
#include "accuracy/reference_tree.hpp"

namespace kann::accuracy {

/// The sides of a periodic box, in the scale of the coordinates; 0 for an axis that is not periodic. A side that
/// overflows in that scale is longer than any difference.
struct Sides {
  std::array<double, 3> length{};

  bool any() const { return length[0] > 0 || length[1] > 0 || length[2] > 0; }

  /// The smallest difference, by its magnitude, of `point` and the query or an image of it, both placed.
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

/// sq_distance() of the nearest image of `query` from `point`.
double sq_distance(const double* query, const double* point, const Sides& sides, int dimensions);

/// Whether d² is that of a periodic box; else as the function above without sides.
inline double sq_distance_in(const double* query, const double* point, const Sides& sides, int dimensions) {
  return sides.any() ? sq_distance(query, point, sides, dimensions) : sq_distance(query, point, dimensions);
}

/// A cloud, and what is judged in its place in a periodic box. Per axis of side L: where `data`, the extent of the data
/// as given, is at most 1.25 L wide and 2 L from 0, the data stay (but of data that are L wide, what is at the upper
/// end moves to the lower one, if that is not rounded), and queries that are farther than 0.63 L from the middle of the
/// data become std::remainder() and then the sum, rounded once, with the multiple of L that brings them nearest to it;
/// elsewhere, the coordinates of both become std::remainder().
class PlacedPoints {
 public:
  enum class Role { data, queries };

  /// `given` must outlive this. Without sides it is not copied. @throws Error resources, std::bad_alloc.
  PlacedPoints(const Points& given, Role role, const Extent& data, const Sides& sides);

  operator const Points&() const { return moved_ ? *moved_ : given_; }

 private:
  const Points& given_;
  std::unique_ptr<const Points> moved_;
};

/// As ReferenceTree::nearest(), by the distances in a periodic box: the nearest by each image of the query. `extent` is
/// the box of the points of `tree`, which are placed, as is the query.
void nearest_in_box(const ReferenceTree& tree, const Extent& extent, const Sides& sides, int dimensions,
                    const double* query, std::int64_t left_out, std::vector<Nearest>& nearest);

}  // namespace kann::accuracy
