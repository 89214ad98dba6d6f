// The colours that stand for values.
#pragma once

#include <array>

#include "picture/cloud.hpp"

namespace kann::picture {

/// From dark blue over teal and green to light yellow. Perceptually even: a curve in OKLab (Ottosson 2020, "A
/// perceptual color space for image processing") along which lightness grows with the place, and which is walked in
/// steps of equal length. It reads the same for people who cannot tell red from green: what tells two colours apart is
/// their lightness, then blue against yellow.
const std::array<Color, k_colors>& color_map();

/// Colours between one class and the next, of m: they are spread evenly over the map.
double class_step(int m);

/// That of class i of m.
Color class_color(int i, int m);

}  // namespace kann::picture
