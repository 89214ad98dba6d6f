// Everything that the passes over points and pixels need, chosen on the host.
#pragma once

#include <cstdint>

#include "products/picture/projection.hpp"
#include "products/picture/splat.hpp"
#include "products/picture/surface.hpp"

namespace kann::picture {

inline constexpr Color k_paper = 0xfdfdfc;  ///< the background: light enough for print, not glaring

struct Scene {
  Canvas canvas;
  Projection projection;
  Splat splat;
  Splat mark;  ///< drawn over all splats, or behind them, whatever its depth
  Color mark_color = 0;
  bool marks_are_behind = false;
  Surface surface;
};

}  // namespace kann::picture
