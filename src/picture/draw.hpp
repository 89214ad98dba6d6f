// The passes over points and pixels on the CPU.
#pragma once

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "picture/cloud.hpp"
#include "picture/scene.hpp"

namespace kann::picture {

struct Drawing {
  Array<std::uint8_t> rgb;  ///< the scene's canvas, 3 bytes per pixel
  Counts counts;
};

/// Draws the points, of which there must be less than 2³². The bytes are the same on any number of threads. Blocks.
/// Takes 19 bytes of memory per pixel.
Drawing draw(const PointsView& points, const PointColors& colors, const Scene& scene, int threads);

}  // namespace kann::picture
