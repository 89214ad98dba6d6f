// Chooses from where a cloud is seen, and computes where its points are on the screen.
#pragma once

#include "kann/render.hpp"

#include "products/picture/sample.hpp"
#include "products/picture/scene.hpp"

namespace kann::picture {

/// The axes of the screen in the cloud's coordinates, of length 1.
struct Axes {
  std::array<double, 3> right, up, eye;  ///< eye: from the cloud to the eye
};

/// The axes of a view; z is up where possible. View::Kind::automatic looks from above at 2-D clouds, at others from an
/// angle, which is steeper for flat clouds, and from the side, of four, from which the cloud fills the canvas best. A
/// later side is preferred to an earlier one only if it shows the cloud more than a tenth larger.
Axes axes_of(const View& view, int dimensions, const Sample& sample, const Canvas& canvas);

/// A part of a line.
struct Interval {
  double low = 0, high = 0;

  double length() const { return high - low; }
  double middle() const { return low / 2 + high / 2; }
};

/// The interval of these coordinates that a picture has to show. It leaves out coordinates farther from the middle 96 %
/// than 0.35 of their width. Example: {0, …, 100, 1e6} gives 0 to 100; no coordinates give {}.
Interval core_of(std::vector<double> coordinates);

/// The scene of a cloud on a canvas, with a margin on all sides. @param unit the size of a pixel of text, in pixels
Scene make_scene(const Canvas& canvas, int unit, const Axes& axes, const Sample& sample);

}  // namespace kann::picture
