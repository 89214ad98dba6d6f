// The sample of a cloud that is in memory.
#pragma once

#include "products/picture/sample.hpp"

namespace kann::picture {

inline Sample take_sample(const PointsView& points, const PointColors& colors) {
  Sampler sampler(points.size());
  sampler.add(points, colors);
  return sampler.finish();
}

}  // namespace kann::picture
