// The passes of a picture on a device.
#pragma once

#include "kann/array.hpp"
#include "kann/points.hpp"

#include "picture/pixels/cloud.hpp"
#include "picture/pixels/scene.hpp"

namespace kann::cuda {

/// As picture::draw(), on device `index`: the same bytes. `colors` are on the host. Fills `rgb`, 3 bytes per pixel of
/// the canvas. Blocks. @throws Error as check().
picture::Counts draw_picture(const PointsView& points, const picture::PointColors& colors, const picture::Scene& scene,
                             int index, int threads, Array<std::uint8_t>& rgb);

}  // namespace kann::cuda
