// AccuracyOptions::periodic and sky: where points are judged, and distances to nearest images.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
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

using Vector = std::array<double, 3>;

/// A periodic box, in the scale of the coordinates. A side that overflows in this scale is longer than any difference.
struct PeriodicCell {
  std::array<double, 3> sides{};       ///< 0: the axis is not periodic
  std::array<Vector, 3> vectors{};     ///< by which it repeats; 0: there is none
  std::array<Vector, 3> reduced{};     ///< shorter vectors of the same lattice …
  std::array<Vector, 3> whole{};       ///< … each the sum of so many of `vectors`
  std::array<Vector, 3> reciprocal{};  ///< of `reduced`: perpendicular to the others, 1 along it; 0: there is none
  std::array<Vector, 3> directions{};  ///< of the part of a vector that is perpendicular to those before it …
  Vector heights{};                    ///< … and its length; neither is scaled
  bool is_slanted = false;
  bool has_all = false;  ///< all images of a point are its neighbours; else the nearest

  PeriodicCell() = default;

  /// That of AccuracyOptions::periodic and images.
  PeriodicCell(const std::vector<double>& numbers, bool has_all_images);

  bool any() const { return sides[0] > 0 || sides[1] > 0 || sides[2] > 0 || is_slanted; }

  /// Whether each axis by itself says which image is the nearest, and no other counts.
  bool is_by_axes() const { return !is_slanted && !has_all; }

  /// The difference of the smallest magnitude between `point` and the query or an image of it. Both must be placed.
  double component(double query, double point, int axis) const {
    const double side = sides[axis];
    const double at = query - point;
    if (!(side > 0)) return at;
    const double left = (query - side) - point, right = (query + side) - point;
    const double image = std::abs(left) < std::abs(right) ? left : right;
    return std::abs(image) < std::abs(at) ? image : at;
  }

  /// The image of a position at a shift of so many vectors, as SearchOptions::periodic defines it.
  Vector image(Vector at, const Vector& shift) const {
    for (std::size_t i = 3; i-- > 0;)
      for (std::size_t a = 0; a < 3; ++a)
        if (shift[i] != 0) at[a] = std::fma(shift[i], vectors[i][a], at[a]);
    return at;
  }

  /// Calls f(shift) for all shifts, 0 among them, at which an image of `query` may be within the radius of the box from
  /// `lo` to `hi`, and others: a reduced vector's reciprocal tells how often it can be added.
  template <class F>
  void for_each_shift(const Vector& query, const Vector& lo, const Vector& hi, double radius, F&& f) const {
    Vector first{}, last{};
    for (std::size_t i = 0; i < 3; ++i) {
      double length = 0, from = 0, to = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const double r = reciprocal[i][a];
        if (r == 0) continue;  // the box may have no end there
        length = std::hypot(length, r);
        from += std::min(r * (lo[a] - query[a]), r * (hi[a] - query[a]));
        to += std::max(r * (lo[a] - query[a]), r * (hi[a] - query[a]));
      }
      constexpr double rounded = 1e-6;
      first[i] = length > 0 ? std::ceil(from - length * radius - rounded) : 0;
      last[i] = length > 0 ? std::floor(to + length * radius + rounded) : 0;
    }
    double shifts = 1;
    for (std::size_t i = 0; i < 3; ++i) shifts *= std::max(0.0, last[i] - first[i] + 1);
    constexpr double most = 1e7;
    if (shifts > most)
      throw Error(ErrorKind::resources, "accuracy: a query may have neighbours among more than 10^7 images of points");
    for (double x = first[0]; x <= last[0]; ++x)
      for (double y = first[1]; y <= last[1]; ++y)
        for (double z = first[2]; z <= last[2]; ++z) {
          Vector shift{};
          for (std::size_t i = 0; i < 3; ++i) shift[i] = x * whole[0][i] + y * whole[1][i] + z * whole[2][i];
          f(shift);
        }
  }

  /// The squared distances between `point` and images of `query`, ascending: those within a squared distance. Where
  /// only the nearest counts, that one, however far. Not to be asked where each axis by itself says which it is.
  std::vector<double> within(const Vector& query, const Vector& point, double sq_radius) const;

  /// The same: at least `count` of the smallest. Where only the nearest counts, that one.
  std::vector<double> smallest(const Vector& query, const Vector& point, std::size_t count) const;

  /// The nearest image of a point is no farther, along the vectors, than half of the lengths of all reduced ones.
  double nearest_within() const;

  /// How far images are looked for, at most, where they are not found by axes; else 0.
  double reach() const;

  PeriodicCell scaled(double factor) const;
};

/// sq_distance() between `point` and the nearest image of `query`.
double sq_distance(const double* query, const double* point, const PeriodicCell& cell, int dimensions);

/// d² in the periodic box, if there is one; otherwise the ordinary sq_distance().
inline double sq_distance_in(const double* query, const double* point, const PeriodicCell& cell, int dimensions) {
  return cell.any() ? sq_distance(query, point, cell, dimensions) : sq_distance(query, point, dimensions);
}

/// Calls f() with a query, and then with those images of it that may be within the squared radius of the box from `lo`
/// to `hi`; where each axis by itself says which is the nearest, with those that PeriodicCell::component() compares.
template <class F>
void for_each_image(const Vector& query, const PeriodicCell& cell, const Vector& lo, const Vector& hi, double sq_radius,
                    F&& f) {
  if (!cell.is_by_axes()) {
    f(query);
    const double radius = cell.has_all ? std::sqrt(sq_radius) : std::min(std::sqrt(sq_radius), cell.nearest_within());
    cell.for_each_shift(query, lo, hi, radius, [&](const Vector& shift) {
      if (shift != Vector{}) f(cell.image(query, shift));
    });
    return;
  }
  constexpr int steps[] = {0, -1, 1};
  for (const int x : steps)
    for (const int y : steps)
      for (const int z : steps) {
        const std::array<int, 3> step{x, y, z};
        Vector image = query;
        bool exists = true;
        for (int a = 0; a < 3; ++a) {
          const double side = cell.sides[a];
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
/// Otherwise, the coordinates of both clouds become std::remainder(). In a slanted box, both clouds are moved by whole
/// vectors, from the last to the first, until their coefficients along the perpendicular part of each are in [0, 1).
class PlacedPoints {
 public:
  enum class Role { data, queries };

  /// The coordinates in `given` must outlive this object. Without sides they are not copied, unless `is_sky`: then they
  /// become those of on_sphere(). @throws Error resources, std::bad_alloc.
  PlacedPoints(const PointsView& given, Role role, const Extent& data, const PeriodicCell& cell, bool is_sky);

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
  PeriodicCell cell;
  bool is_sky;
  CloudFacts facts;  ///< about the placed clouds; their boxes may be larger than those of the points
  double scale;      ///< that of coordinates() and of distances
  PeriodicCell scaled_cell;
  std::optional<double> radius;  ///< as a straight distance, not scaled

  PlacedPoints place(const PointsView& points, PlacedPoints::Role role) const {
    return {points, role, data_as_given, cell, is_sky};
  }
};

}  // namespace kann::accuracy
