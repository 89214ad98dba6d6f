// The passes over points and pixels on the CPU.
#pragma once

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "picture/cloud.hpp"
#include "picture/scene.hpp"

namespace kann::picture {

struct Drawing {
  Array<std::uint8_t> rgb;  ///< of the scene's canvas, 3 per pixel
  Counts counts;
};

/// Draws the points, of which there are less than 2³²: the same bytes on any number of threads. Blocks. Takes 19 bytes
/// per pixel.
Drawing draw(const PointsView& points, const PointColors& colors, const Scene& scene, int threads);

}  // namespace kann::picture
