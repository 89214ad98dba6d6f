// A block of a picture's points in the form in which its passes read them, on the host or on a device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

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
  bool is_log = false;        ///< so has the decimal logarithm of a value; others have the first colour
  std::span<const float> classes = {};  ///< ascending; unless empty, class i has colour i of the map
  std::optional<float> marked = {};     ///< points of this value are drawn as marks

  bool has_color(std::int64_t i) const { return !values || std::isfinite(values[i]); }

  bool is_marked(std::int64_t i) const { return marked && values[i] == *marked; }

  Color operator()(std::int64_t i) const {
    if (!values) return Color{colors[3 * i]} << 16 | Color{colors[3 * i + 1]} << 8 | colors[3 * i + 2];
    if (!classes.empty()) return map[std::ranges::lower_bound(classes, values[i]) - classes.begin()];
    const double value = values[i], place = ((is_log ? std::log10(value) : value) - low) * scale;
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
