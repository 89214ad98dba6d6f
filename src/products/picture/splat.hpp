// The pixels that one point covers, and the word that decides which point a pixel shows.
#pragma once

#include <cstdint>

#include "products/picture/projection.hpp"

namespace kann::picture {

/// A pixel keeps the smallest word of all points that cover it: depth · 2³² + number. The minimum does not depend on
/// the order of the points. They are numbered from 1 in each block. In the words that are kept for the next block, the
/// number is 0, so that points of earlier blocks win ties, as they do in one block.
using Word = std::uint64_t;
inline constexpr Word k_no_word = ~Word{0};

inline std::uint32_t number_of(Word word) { return static_cast<std::uint32_t>(word); }
inline Word without_number(Word word) { return word >> 32 << 32; }

/// What one point covers: a disc whose depth is smallest at its centre. Where splats of a surface overlap, the one
/// whose centre is closer to the pixel wins, so that large splats close gaps without hiding the points beside them.
struct Splat {
  std::int32_t radius;  ///< in sub-pixels, at most 100 pixels; 0: the pixel in which the point lies
  std::uint64_t cone;   ///< depth that is added per squared sub-pixel of distance from the centre, times 2¹⁶
};

/// A picture, or the part of it in which points are drawn.
struct Canvas {
  std::int32_t width, height;

  std::int64_t pixels() const { return static_cast<std::int64_t>(width) * height; }
  bool has(std::int32_t x, std::int32_t y) const { return x >= 0 && y >= 0 && x < width && y < height; }
  /// Whether the centre of a point is in the picture.
  bool has(const ScreenPoint& p) const { return has(p.x >> 8, p.y >> 8); }
};

/// Calls offer(pixel, word) for the pixels whose centres a splat covers, and for the pixel in which its point lies.
/// Example: a radius of 256 sub-pixels (one pixel) around (384, 384) covers pixel (1, 1) and the four beside it.
template <class Offer>
void each_pixel(const Splat& splat, const Canvas& canvas, const ScreenPoint& p, std::uint32_t number, Offer&& offer) {
  const auto offer_at = [&](std::int32_t x, std::int32_t y, std::uint64_t depth) {
    if (depth >= k_no_depth) depth = k_no_depth - 1;
    offer(static_cast<std::int64_t>(y) * canvas.width + x, depth << 32 | number);
  };
  const std::int32_t own_x = p.x >> 8, own_y = p.y >> 8, half = k_subpixels / 2;
  if (canvas.has(own_x, own_y) && splat.radius == 0) return offer_at(own_x, own_y, p.depth);
  std::int32_t x0 = (p.x - splat.radius - half + 255) >> 8, x1 = (p.x + splat.radius - half) >> 8;
  std::int32_t y0 = (p.y - splat.radius - half + 255) >> 8, y1 = (p.y + splat.radius - half) >> 8;
  x0 = x0 < 0 ? 0 : x0;
  y0 = y0 < 0 ? 0 : y0;
  x1 = x1 < canvas.width ? x1 : canvas.width - 1;
  y1 = y1 < canvas.height ? y1 : canvas.height - 1;
  for (std::int32_t y = y0; y <= y1; ++y)
    for (std::int32_t x = x0; x <= x1; ++x) {
      const std::int32_t dx = x * k_subpixels + half - p.x, dy = y * k_subpixels + half - p.y;
      const std::int32_t squared = dx * dx + dy * dy;
      if (squared <= splat.radius * splat.radius || (x == own_x && y == own_y))
        offer_at(x, y, p.depth + (static_cast<std::uint64_t>(squared) * splat.cone >> 16));
    }
}

}  // namespace kann::picture
