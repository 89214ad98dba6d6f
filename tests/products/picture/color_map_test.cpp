// The colour map is even, and is read alike by people who cannot tell red from green.
#include "products/picture/color_map.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace kann::picture {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& m, const Vector& v) {
  Vector out{};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) out[row] += m[row][column] * v[column];
  return out;
}

Vector linear(Color color) {
  Vector out;
  for (int channel = 0; channel < 3; ++channel) {
    const double c = (color >> (16 - 8 * channel) & 0xff) / 255.0;
    out[channel] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

/// By way of XYZ (Ottosson 2020, "Definition of OKLab"), which the map does not take.
Vector oklab(const Vector& rgb) {
  const Vector xyz = times(
      {{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}}, rgb);
  Vector lms = times({{{0.8189330101, 0.3618667424, -0.1288597137},
                       {0.0329845436, 0.9293118715, 0.0361456387},
                       {0.0482003018, 0.2643662691, 0.6338517070}}},
                     xyz);
  for (double& x : lms) x = std::cbrt(x);
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               lms);
}

double distance(const Vector& a, const Vector& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision deficiency",
/// severity 1.0; for linear RGB.
constexpr Matrix k_protanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix k_deuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix k_unchanged{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Vector seen(Color color, const Matrix& vision) {
  Vector rgb = times(vision, linear(color));
  for (double& x : rgb) x = std::clamp(x, 0.0, 1.0);
  return oklab(rgb);
}

TEST(ColorMap, RisesInLightnessInAnyVision) {
  for (const Matrix& vision : {k_unchanged, k_protanopia, k_deuteranopia}) {
    // Of eight bits, a colour may be rounded by half a step: strictly from one to the next but one
    for (int i = 1; i < k_colors; ++i)
      EXPECT_GE(seen(color_map()[i], vision)[0], seen(color_map()[i - 1], vision)[0] - 5e-4) << i;
    for (int i = 2; i < k_colors; ++i)
      EXPECT_GT(seen(color_map()[i], vision)[0], seen(color_map()[i - 2], vision)[0]) << i;
    EXPECT_GT(seen(color_map()[k_colors - 1], vision)[0] - seen(color_map()[0], vision)[0], 0.5);
  }
  for (int i = 1; i < k_colors; ++i)
    EXPECT_GT(seen(color_map()[i], k_unchanged)[0], seen(color_map()[i - 1], k_unchanged)[0]) << i;
}

TEST(ColorMap, HasEvenSteps) {
  constexpr int step = 16;  // over which the rounding to eight bits does not count
  double least = 1, most = 0;
  for (int i = 0; i + step < k_colors; i += step) {
    const double d = distance(seen(color_map()[i], k_unchanged), seen(color_map()[i + step], k_unchanged));
    least = std::min(least, d);
    most = std::max(most, d);
  }
  EXPECT_LT(most, 1.1 * least);
}

TEST(ColorMap, GoesFromBlueToYellow) {
  const Vector first = oklab(linear(color_map().front())), last = oklab(linear(color_map().back()));
  EXPECT_LT(first[2], -0.08);
  EXPECT_GT(last[2], 0.12);
  EXPECT_LT(last[0], 0.95);  // is seen on white
}

}  // namespace
}  // namespace kann::picture
