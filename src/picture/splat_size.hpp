// How large points are drawn: so that surfaces are closed, and no larger.
#pragma once

#include "picture/sample.hpp"
#include "picture/scene.hpp"

namespace kann::picture {

/// The diameter of splats, in pixels. Points of a surface are taken for a Poisson process of density λ per pixel: discs
/// of diameter 2.6 / √λ leave 0.5 % of it open (of a surface with a hidden one behind it, 7 %). λ is measured in cells
/// of growing size: where half of the cells with a point have two or more, it is 1.26 per cell. At most 3.5 `unit`; and
/// at least 0.6, so that thin lines stay visible in large pictures: not where points are closer than pixels, nor more
/// than twice as much.
double splat_diameter(const Scene& scene, const Sample& sample, int unit);

}  // namespace kann::picture
