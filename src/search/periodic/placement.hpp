// Where the points of a search in a periodic box are searched, which is part of the definition of their distances.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "geometry/box.hpp"
#include "search/periodic/periodic_box.hpp"

namespace kann::detail {

/// How the coordinates of a cloud become those that are searched, along one axis.
struct AxisPlace {
  double side = 0, middle = 0;
  double reach = std::numeric_limits<double>::infinity();  ///< no coordinate moves that is no farther from the middle

  /// What is at the upper face is at the lower one. No face: NaN.
  double upper_face = std::numeric_limits<double>::quiet_NaN(), lower_face = 0;

  bool keeps(double x) const { return std::abs(x - middle) <= reach && x != upper_face; }

  /// The coordinate moved by whole sides to the place that is nearest to the middle; rounded, unless that is 0. NaN if
  /// it is not finite.
  double operator()(double x) const {
    if (keeps(x)) return x;
    if (x == upper_face) return lower_face;
    const double rest = remainder(x);
    return middle == 0 ? rest : std::fma(side, std::nearbyint((middle - rest) / side), rest);
  }

 private:
  /// std::remainder() by the side, which takes some 20 ns where one subtraction does not do. (That is not rounded
  /// either, as x is at least half of the side and at most twice: Sterbenz.)
  double remainder(double x) const {
    if (2 * std::abs(x) <= side) return x;
    return std::abs(x) < 1.5 * side ? x - std::copysign(side, x) : std::remainder(x, side);
  }
};

using Places = std::array<AxisPlace, 3>;  ///< per axis

/// Data that are at most 1.25 sides wide stay, which costs their searches nothing, and leaves a clump in the middle of
/// a box from 0 to L in one piece; but where they are more than 2 sides from 0, queries would lose digits on the way to
/// them. Queries come near them. Along other axes, data and queries are moved around 0.
///
/// Of data that are one side wide, those at both ends coincide. Half of a cloud that is clamped to its box would
/// otherwise be searched by seven images of each query.
class Placement {
 public:
  /// @param extent of the data as given
  Placement(const PeriodicBox& box, const geometry::Box& extent) {
    for (int a = 0; a < box.dimensions(); ++a) {
      const double side = box.side(a), lo = extent.lo[a], hi = extent.hi[a];
      if (!box.is_periodic(a)) continue;
      if (hi - lo <= 1.25 * side && std::abs(lo) <= 2 * side && std::abs(hi) <= 2 * side)
        keep(a, side, lo, hi);
      else
        queries_[a] = data_[a] = {side, 0, side / 2};
    }
  }

  const Places& of_data() const { return data_; }
  const Places& of_queries() const { return queries_; }

 private:
  void keep(int axis, double side, double lo, double hi) {
    queries_[axis] = {side, lo / 2 + hi / 2, 0.63 * side};
    if (lo + side != hi || hi - side != lo) return;
    data_[axis].upper_face = hi;
    data_[axis].lower_face = lo;
  }

  Places data_, queries_;
};

}  // namespace kann::detail
