#include "products/picture/color_map.hpp"

#include <algorithm>
#include <cmath>

namespace kann::picture {
namespace {

struct Oklab {
  double l, a, b;
};

double distance(const Oklab& p, const Oklab& q) { return std::hypot(p.l - q.l, p.a - q.a, p.b - q.b); }

/// A channel from 0 to 255, by the transfer function of sRGB (IEC 61966-2-1).
Color encoded(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  return static_cast<Color>(std::lround(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055)));
}

Color to_srgb(const Oklab& c) {
  const double l = std::pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  return encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16 |
         encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8 |
         encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

/// The curve, t from 0 to 1: lightness grows evenly, the hue turns evenly from blue (272°) to yellow (103°), and the
/// chroma is a parabola that stays a little below the limit of sRGB, which is lowest at teal (0.096).
Oklab curve(double t) {
  constexpr double degree = 0.017453292519943295;
  const double hue = (272 - (272 - 103) * t) * degree;
  const double chroma = 0.11 - 0.1 * t + 0.15 * t * t;
  return {0.35 + 0.56 * t, chroma * std::cos(hue), chroma * std::sin(hue)};
}

std::array<Color, k_colors> make_map() {
  // Finds the places of equal steps from the length of the curve up to each of many places
  constexpr int fine = 1 << 14;
  std::array<double, fine + 1> lengths{};
  for (int i = 1; i <= fine; ++i)
    lengths[i] = lengths[i - 1] + distance(curve(i / double{fine}), curve((i - 1) / double{fine}));
  std::array<Color, k_colors> map;
  for (int i = 0; i < k_colors; ++i) {
    const double length = lengths[fine] * i / (k_colors - 1);
    const auto place = std::ranges::lower_bound(lengths, length) - lengths.begin();
    map[i] = to_srgb(curve(static_cast<double>(place) / fine));
  }
  return map;
}

}  // namespace

const std::array<Color, k_colors>& color_map() {
  static const std::array<Color, k_colors> map = make_map();
  return map;
}

}  // namespace kann::picture
