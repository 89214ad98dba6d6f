// The colours that stand for values.
#pragma once

#include <array>

#include "products/picture/cloud.hpp"

namespace kann::picture {

/// The map goes from dark blue over teal and green to light yellow. It is perceptually even: a curve in OKLab (Ottosson
/// 2020, "A perceptual color space for image processing") along which lightness grows with the place, and which is
/// walked in steps of equal length. It reads the same for people who cannot tell red from green: two colours differ in
/// lightness first, then in blue against yellow.
const std::array<Color, k_colors>& color_map();

}  // namespace kann::picture
