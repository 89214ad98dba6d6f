// Where a search in a periodic box places the points, which is part of the definition of their distances.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "kann/points.hpp"

#include "geometry/box.hpp"
#include "geometry/periodic_box.hpp"

namespace kann::detail {

using geometry::PeriodicBox;
using geometry::Position;

inline Position position_of(const PointsView& points, std::int64_t i) {
  return {points.at(i, 0), points.at(i, 1), points.dimensions == 3 ? points.at(i, 2) : 0.0};
}

/// Moves the coordinates of a cloud, along one axis, to where they are searched.
struct AxisPlace {
  double side = 0, middle = 0;
  double reach = std::numeric_limits<double>::infinity();  ///< coordinates within this distance of the middle stay

  /// Points at the upper face move to the lower one. NaN: there is no such face.
  double upper_face = std::numeric_limits<double>::quiet_NaN(), lower_face = 0;

  bool keeps(double x) const { return std::abs(x - middle) <= reach && x != upper_face; }

  /// The coordinate, moved by whole sides to the place nearest to the middle if it does not stay; rounded, unless the
  /// middle is 0. NaN if a moved coordinate is not finite.
  double operator()(double x) const {
    if (keeps(x)) return x;
    if (x == upper_face) return lower_face;
    const double rest = remainder(x);
    return middle == 0 ? rest : std::fma(side, std::nearbyint((middle - rest) / side), rest);
  }

 private:
  /// std::remainder(x, side), which takes some 20 ns; one subtraction is used where it suffices. (The subtraction is
  /// exact, too, as |x| is at least half of the side and at most twice the side: Sterbenz.)
  double remainder(double x) const {
    if (2 * std::abs(x) <= side) return x;
    return std::abs(x) < 1.5 * side ? x - std::copysign(side, x) : std::remainder(x, side);
  }
};

/// Moves the points of a cloud to where they are searched.
struct Places {
  std::array<AxisPlace, 3> axes;         ///< in a box with right angles
  std::optional<PeriodicBox> slanted{};  ///< any other

  bool keeps(const Position& at) const {
    return slanted ? in_box(at) == at : axes[0].keeps(at[0]) && axes[1].keeps(at[1]) && axes[2].keeps(at[2]);
  }
  Position operator()(const Position& at) const {
    return slanted ? in_box(at) : Position{axes[0](at[0]), axes[1](at[1]), axes[2](at[2])};
  }

 private:
  /// Where a slanted box has the point: from the last vector to the first, until it is at 0 to before 1 times the
  /// height along each direction. Of a point that is many sides away, rounding leaves others to go.
  Position in_box(Position at) const {
    for (std::size_t i = 3; i-- > 0;) {
      if (!slanted->repeats(i)) continue;
      constexpr int enough = 24;  // from 1e308
      for (int step = 0; step < enough; ++step) {
        const double times = std::floor(geometry::dot(at, slanted->direction(i)) / slanted->height(i));
        if (times == 0 || std::isnan(times)) break;
        at = slanted->moved(at, i, -times);
      }
    }
    return at;
  }
};

/// Where the data and the queries are placed. Along an axis where the data are at most 1.25 sides wide, they stay,
/// which costs their searches nothing and leaves a clump in the middle of a box from 0 to L in one piece; queries move
/// near them. If the data are more than 2 sides from 0, they do not stay, as queries would lose digits on the way to
/// them. Along such axes, and where the data are wider, data and queries are moved around 0.
///
/// If the data are exactly one side wide, points at both ends coincide, and those at the upper end move to the lower
/// end. Otherwise, half of a cloud that is clamped to its box would be searched by seven images of each query.
///
/// In a slanted box, all points are placed within the box of its heights, whose faces are at right angles: there the
/// fewest images are near the data.
class Placement {
 public:
  /// @param extent the box around the data as given
  Placement(const PeriodicBox& box, const geometry::Box& extent) {
    if (box.is_slanted()) {
      queries_.slanted = data_.slanted = box;
      return;
    }
    for (std::size_t a = 0; a < 3; ++a) {
      const double side = box.height(a), lo = extent.lo[a], hi = extent.hi[a];
      if (!box.repeats(a)) continue;
      if (hi - lo <= 1.25 * side && std::abs(lo) <= 2 * side && std::abs(hi) <= 2 * side)
        keep(a, side, lo, hi);
      else
        queries_.axes[a] = data_.axes[a] = {side, 0, side / 2};
    }
  }

  const Places& of_data() const { return data_; }
  const Places& of_queries() const { return queries_; }

 private:
  void keep(std::size_t axis, double side, double lo, double hi) {
    queries_.axes[axis] = {side, lo / 2 + hi / 2, 0.63 * side};
    if (lo + side != hi || hi - side != lo) return;
    data_.axes[axis].upper_face = hi;
    data_.axes[axis].lower_face = lo;
  }

  Places data_, queries_;
};

}  // namespace kann::detail
