// From where a cloud is seen, and where its points are on the screen.
#pragma once

#include "kann/render.hpp"

#include "picture/sample.hpp"
#include "picture/scene.hpp"

namespace kann::picture {

/// The axes of the screen in the cloud's coordinates, of length 1.
struct Axes {
  std::array<double, 3> right, up, eye;  ///< eye: from the cloud to the eye
};

/// Those of a view; z is up where it can be. View::Kind::automatic: from above for 2-D clouds, otherwise at an angle,
/// steeper for clouds that are flat, and from the side of four from which the cloud fills the canvas best; from the
/// first of them where no other shows it a tenth larger.
Axes axes_of(const View& view, int dimensions, const Sample& sample, const Canvas& canvas);

/// A part of a line.
struct Interval {
  double low = 0, high = 0;

  double length() const { return high - low; }
  double middle() const { return low / 2 + high / 2; }
};

/// What a picture has to show of these coordinates: all but those that are farther from the middle 96 % than 0.35 of
/// their width. {0, …, 100, 1e6}: 0 to 100. {} for none.
Interval core_of(std::vector<double> coordinates);

/// The scene of a cloud on a canvas, with a margin on all sides. @param unit the size of a pixel of text, in pixels
Scene make_scene(const Canvas& canvas, int unit, const Axes& axes, const Sample& sample);

}  // namespace kann::picture
