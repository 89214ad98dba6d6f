// One Hilbert curve through all of the data, in the same cells whatever part of them is in memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "geometry/box.hpp"

namespace kann::flow {

using Coordinates = std::array<double, 3>;  ///< the third is 0 in 2-D

class Curve {
 public:
  Curve() = default;

  /// The curve fills the box that geometry::grid_box() finds.
  /// @param sample row-major coordinates of points from all over the data
  Curve(const geometry::Box& bounds, const std::vector<double>& sample, int dimensions);

  /// The position of a point, which may lie outside the box: the outermost cells reach as far as they must.
  std::uint64_t position(const Coordinates& point) const;

 private:
  int dimensions_ = 3;
  Coordinates low_{};
  double cells_per_unit_ = 0;
};

}  // namespace kann::flow
