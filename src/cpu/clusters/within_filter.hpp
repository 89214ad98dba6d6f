// Whether points are within a radius, decided by ordinary arithmetic wherever its rounding leaves no doubt.
#pragma once

#include "geometry/point_tree.hpp"
#include "geometry/within_radius.hpp"

namespace kann::cpu {

/// Decides as geometry::WithinRadius does. Without instructions for fma, one takes some 10 ns; sums of squares that
/// are rounded after each step are off by less than 2⁻⁵⁰ of their value, so that nearly all of them decide.
///
/// Boxes are compared by the same rule: the distance of WithinRadius is monotone in every |difference|, rounding
/// included. So no two points of boxes are within the radius where the gaps between the boxes are not, and all of them
/// are where the spans of both boxes together are.
class WithinFilter {
 public:
  explicit WithinFilter(double radius) : exact_(radius), surely_(exact_.sq_bound()), hardly_(exact_.sq_bound()) {
    constexpr double doubt = 0x1p-50;
    surely_ = exact_.is_scaled() ? -1 : surely_ * (1 - doubt);
    hardly_ *= 1 + doubt;
  }

  bool operator()(const geometry::Difference& d) const {
    const double sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (sq < surely_) return true;
    return sq <= hardly_ && exact_(d[0], d[1], d[2]);
  }

 private:
  geometry::WithinRadius exact_;
  double surely_, hardly_;  // squared distances below the first are within, those above the second are not
};

}  // namespace kann::cpu
