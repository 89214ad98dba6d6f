// Chooses the values that the first and the last colour stand for.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "kann/render.hpp"

#include "products/picture/legend.hpp"

namespace kann::picture {

/// The smallest and the largest finite value of a cloud.
struct ValueBounds {
  double least = std::numeric_limits<double>::infinity(), most = -least;  ///< as they are if there is none

  void add(std::span<const float> values);
};

/// The range of the colour bar, and its scale, for values with these bounds, of which `sample` is a sample.
/// @throws Error usage: the scale is to be logarithmic, and no value is positive.
ColorRange color_range(const ValueBounds& bounds, std::vector<float> sample, const RenderOptions& options);

}  // namespace kann::picture
