// Computes where a point lies in a picture, in integers: everything that follows is the same on every device.
#pragma once

#include <cmath>
#include <cstdint>

namespace kann::picture {

/// Positions are in 1/256 of a pixel.
inline constexpr std::int32_t k_subpixels = 256;

/// The depth of a pixel in which nothing is drawn. Depths of points are less.
inline constexpr std::uint32_t k_no_depth = 0xffffffff;

struct ScreenPoint {
  std::int32_t x, y;    ///< in sub-pixels, from the left and from the top
  std::uint32_t depth;  ///< increases with the distance from the eye
};

/// An orthographic projection: three dot products with the point less the origin.
struct Projection {
  double origin[3];                            ///< the point that is drawn at the centre
  double x_axis[3], y_axis[3], depth_axis[3];  ///< sub-pixels right and down, and depth, per unit of length
  double x_centre, y_centre, depth_centre;

  // Written without fma, for which the CPU's baseline has no instruction; neither compiler turns these expressions into
  // one
  ScreenPoint operator()(double x, double y, double z) const {
    const double p[3] = {x - origin[0], y - origin[1], z - origin[2]};
    return {rounded_down(x_centre + dot(x_axis, p)), rounded_down(y_centre + dot(y_axis, p)),
            static_cast<std::uint32_t>(limited(depth_centre + dot(depth_axis, p), 0, k_no_depth - 1.0))};
  }
  double pixels_per_unit() const { return std::sqrt(dot(x_axis, x_axis)) / k_subpixels; }

 private:
  static double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  /// std::floor(x), by truncation of a number that is not negative, which is 3 times as fast.
  static std::int32_t rounded_down(double x) {
    constexpr double far_away = 0x1p29;
    return static_cast<std::int32_t>(limited(x + far_away, 0, 2 * far_away)) - static_cast<std::int32_t>(far_away);
  }
  /// The value, clamped. NaN, which differences of coordinates near the end of float64 can give, becomes `low`, which
  /// is outside of the picture.
  static double limited(double value, double low, double high) {
    return value >= low ? (value <= high ? value : high) : low;
  }
};

}  // namespace kann::picture
