// A block of a picture's points in the form in which its passes read them, on the host or on a device.
#pragma once

#include <cmath>
#include <cstdint>

#include "products/picture/projection.hpp"

namespace kann::picture {

/// The number of colours in a colour map: with more, some would be equal in eight bits.
inline constexpr int k_colors = 192;

/// Red, green and blue in one word: 0xrrggbb.
using Color = std::uint32_t;

/// The colours of a block's points: from their values by a colour map, or given per point.
struct PointColors {
  const float* values = nullptr;         ///< null: the colours are given in `colors`
  const std::uint8_t* colors = nullptr;  ///< 3 per point
  const Color* map = nullptr;            ///< k_colors
  double low = 0, scale = 0;  ///< a value has colour number (value − low) · scale of the map, clamped to it

  bool has_color(std::int64_t i) const { return !values || std::isfinite(values[i]); }

  Color operator()(std::int64_t i) const {
    if (!values) return Color{colors[3 * i]} << 16 | Color{colors[3 * i + 1]} << 8 | colors[3 * i + 2];
    const double place = (static_cast<double>(values[i]) - low) * scale;
    return map[place >= k_colors ? k_colors - 1 : place >= 0 ? static_cast<int>(place) : 0];
  }
};

/// T: float or double.
template <class T>
struct PointSource {
  const T* coordinates;  ///< count × dimensions
  std::int64_t count;
  int dimensions;

  /// Whether point `i` has finite coordinates.
  bool is_finite(std::int64_t i) const {
    const T* const p = coordinates + i * dimensions;
    return std::isfinite(p[0]) && std::isfinite(p[1]) && (dimensions == 2 || std::isfinite(p[2]));
  }
  ScreenPoint project(std::int64_t i, const Projection& projection) const {
    const T* const p = coordinates + i * dimensions;
    return projection(p[0], p[1], dimensions == 2 ? T{0} : p[2]);
  }
};

}  // namespace kann::picture
