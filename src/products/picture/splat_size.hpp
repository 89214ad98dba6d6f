// Chooses how large points are drawn: just large enough to close surfaces.
#pragma once

#include "products/picture/sample.hpp"
#include "products/picture/scene.hpp"

namespace kann::picture {

/// The diameter of splats, in pixels. The points of a surface are treated as a Poisson process of density λ per pixel:
/// discs of diameter 2.6 / √λ leave 0.5 % of the surface open (7 % if a hidden surface lies behind it). λ is measured
/// with cells of growing size: when half of the cells with a point have two or more, λ is 1.26 per cell. The diameter
/// is at most 3.5 `unit` and at least 1 pixel. Unless points are closer than pixels, it is raised to 0.6 `unit`, but at
/// most doubled, so that thin lines stay visible in large pictures.
double splat_diameter(const Scene& scene, const Sample& sample, int unit);

}  // namespace kann::picture
