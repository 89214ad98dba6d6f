// The look of the pixels of a depth buffer: closes holes, smooths depths, and finds outlines and slopes by the Sobel
// operator. All in integers, except the length of a gradient, which is a fixed chain of float64 operations.
#pragma once

#include <cmath>
#include <cstdint>

#include "products/picture/cloud.hpp"
#include "products/picture/splat.hpp"

namespace kann::picture {

/// The depth of each pixel (k_no_depth where nothing is drawn), and its colour.
struct Layer {
  std::uint32_t* depths;
  Color* colors;
};

struct Surface {
  std::int32_t closing;        ///< radius of the window that closes gaps, in pixels; at least 1
  std::int32_t smoothing;      ///< radius of the mean of depths; 0: none
  std::uint32_t same_depth;    ///< depths that differ by at most this belong to one surface
  std::uint32_t background;    ///< the depth that the operator sees where nothing is drawn
  std::int32_t spread;         ///< distance between the pixels of the operator
  double edge_low, edge_high;  ///< gradients (eight times the depth per step) at which outlines begin, and are full
  std::int32_t end_window;     ///< radius of the window that distinguishes the end of a surface from a thin line
  double slope;                ///< factor from a gradient to the tangent of the angle to the eye
};

/// The Sobel operator (3 × 3 with weights 1 2 1): eight times the mean step of depth along each axis.
struct Gradient {
  std::int64_t x, y;

  double length() const {
    const double dx = static_cast<double>(x), dy = static_cast<double>(y);
    return std::sqrt(std::fma(dx, dx, dy * dy));
  }
};

/// @param depth depth(dx, dy) for dx and dy of −1, 0 and 1, as std::int64_t
template <class Depth>
Gradient sobel(Depth&& depth) {
  const std::int64_t nw = depth(-1, -1), n = depth(0, -1), ne = depth(1, -1), w = depth(-1, 0), e = depth(1, 0),
                     sw = depth(-1, 1), s = depth(0, 1), se = depth(1, 1);
  return {(ne + 2 * e + se) - (nw + 2 * w + sw), (sw + 2 * s + se) - (nw + 2 * n + ne)};
}

/// The distance between the pixels of a window that are read. If the radius is more than 8, as only in large pictures,
/// at most 17 × 17 pixels are read. Examples: radius 8 gives 1, radius 9 gives 2.
inline std::int32_t sparse_step(std::int32_t radius) { return radius <= 8 ? 1 : (radius + 7) / 8; }

/// Calls f(pixel, dx, dy) for every `step`-th pixel, along both axes, of a square window of side 2 · radius + 1, as far
/// as it is on the canvas. `radius` is a multiple of `step`.
template <class F>
void each_around(const Canvas& canvas, std::int32_t x, std::int32_t y, std::int32_t radius, std::int32_t step, F&& f) {
  for (std::int32_t dy = -radius; dy <= radius; dy += step)
    for (std::int32_t dx = -radius; dx <= radius; dx += step)
      if (canvas.has(x + dx, y + dy)) f(static_cast<std::int64_t>(y + dy) * canvas.width + (x + dx), dx, dy);
}

/// Closes gaps: a pixel in a gap between the splats of a surface takes the depth and colour of the nearest pixel of
/// that surface. Such a pixel is recognised by most pixels around it, on all sides, being nearer to the eye than what
/// is seen through the gap. Other pixels are copied.
inline void close_gap(const Surface& s, const Canvas& canvas, const Layer& from, const Layer& to, std::int32_t x,
                      std::int32_t y) {
  const std::int64_t pixel = static_cast<std::int64_t>(y) * canvas.width + x;
  to.depths[pixel] = from.depths[pixel];
  to.colors[pixel] = from.colors[pixel];
  if (from.depths[pixel] < s.same_depth) return;
  const std::uint32_t limit = from.depths[pixel] - s.same_depth;  // what is nearer than this belongs to another surface

  // Few pixels are in gaps; a look at eight others is enough to dismiss most
  std::int32_t nearer = 0;
  each_around(canvas, x, y, s.closing, s.closing,
              [&](std::int64_t other, auto, auto) { nearer += from.depths[other] < limit; });
  if (nearer < 3) return;

  const std::int32_t step = sparse_step(s.closing);
  std::int32_t covered = 0, all = 0, left = 0, right = 0, above = 0, below = 0, nearest = 1 << 30;
  std::int64_t at = pixel;
  each_around(canvas, x, y, s.closing / step * step, step, [&](std::int64_t other, std::int32_t dx, std::int32_t dy) {
    ++all;
    if (from.depths[other] >= limit) return;
    ++covered;
    left += dx < 0;
    right += dx > 0;
    above += dy < 0;
    below += dy > 0;
    const std::int32_t squared = dx * dx + dy * dy;
    if (squared < nearest) nearest = squared, at = other;
  });
  // Just beyond the straight end of a surface, less than half of the window is covered
  if (20 * covered < 11 * all || !left || !right || !above || !below) return;
  to.depths[pixel] = from.depths[at];
  to.colors[pixel] = from.colors[at];
}

/// The mean depth of the surface around a pixel: splats are flat, and their edges would look like steps. At most 7 × 7
/// pixels are read.
inline std::uint32_t smooth_depth(const Surface& s, const Canvas& canvas, const std::uint32_t* depths, std::int32_t x,
                                  std::int32_t y) {
  const std::uint32_t own = depths[static_cast<std::int64_t>(y) * canvas.width + x];
  if (own == k_no_depth || s.smoothing == 0) return own;
  std::int64_t sum = 0, count = 0;
  const std::int32_t step = (s.smoothing + 2) / 3;
  each_around(canvas, x, y, s.smoothing / step * step, step, [&](std::int64_t other, auto, auto) {
    const std::int64_t depth = depths[other], difference = depth - own;
    if (depth != k_no_depth && difference <= s.same_depth && -difference <= s.same_depth) {
      sum += difference;
      ++count;
    }
  });
  return static_cast<std::uint32_t>(own + sum / count);  // the window includes the pixel itself
}

/// How a pixel looks; both values are from 0 to 256.
struct Look {
  std::int32_t outline;  ///< 256: a full outline
  std::int32_t light;    ///< 256: the surface faces the eye
};

/// How much a pixel is at the end of a surface, from 0 to 1: there, the centre of the nearest surface around the pixel
/// is to one side. The value is low at single points, at thin lines such as the rings of a scanner, and between these,
/// which would otherwise consist of outlines alone.
inline double end_of_surface(const Surface& s, const Canvas& canvas, const std::uint32_t* depths, std::int32_t x,
                             std::int32_t y) {
  std::uint32_t nearest = k_no_depth;
  each_around(canvas, x, y, s.spread, s.spread,
              [&](std::int64_t other, auto, auto) { nearest = depths[other] < nearest ? depths[other] : nearest; });
  const std::int32_t step = sparse_step(s.end_window), r = s.end_window / step;
  std::int64_t moment_x = 0, moment_y = 0;
  each_around(canvas, x, y, r * step, step, [&](std::int64_t other, std::int32_t dx, std::int32_t dy) {
    if (depths[other] == k_no_depth || depths[other] - nearest > s.same_depth) return;
    moment_x += dx;
    moment_y += dy;
  });
  const double mx = static_cast<double>(moment_x), my = static_cast<double>(moment_y);
  const double full = 0.5 * step * r * (r + 1) * (2 * r + 1);  // the moment at a straight end
  const double part = (std::sqrt(std::fma(mx, mx, my * my)) / full - 0.4) / 0.2;
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

inline Look look_of(const Surface& s, const Canvas& canvas, const std::uint32_t* depths, std::int32_t x,
                    std::int32_t y) {
  const auto depth_at = [&](std::int32_t dx, std::int32_t dy) -> std::uint32_t {
    const std::int32_t px = x + dx * s.spread, py = y + dy * s.spread;
    return canvas.has(px, py) ? depths[static_cast<std::int64_t>(py) * canvas.width + px] : k_no_depth;
  };
  const std::uint32_t own = depth_at(0, 0);
  bool is_empty = own == k_no_depth;
  const Gradient edge = sobel([&](std::int32_t dx, std::int32_t dy) -> std::int64_t {
    const std::uint32_t depth = depth_at(dx, dy);
    is_empty &= depth == k_no_depth;
    return depth == k_no_depth ? s.background : depth;
  });
  if (is_empty) return {0, 256};
  double outline = (edge.length() - s.edge_low) / (s.edge_high - s.edge_low);
  outline = outline < 0 ? 0 : outline > 1 ? 1 : outline;
  if (outline > 0) outline *= end_of_surface(s, canvas, depths, x, y);
  // Outlines are drawn on both sides of an end. On paper they are lighter, as they would look too thick in small
  // pictures
  if (own == k_no_depth) return {static_cast<std::int32_t>(outline * 150), 256};

  // Pixels of other surfaces count as being as deep as this pixel
  const Gradient rise = sobel([&](std::int32_t dx, std::int32_t dy) -> std::int64_t {
    const std::int64_t depth = depth_at(dx, dy), difference = depth - own;
    return depth == k_no_depth || difference > s.same_depth || -difference > s.same_depth ? own : depth;
  });
  const double tangent = rise.length() * s.slope;
  const double facing = 1 / std::sqrt(std::fma(tangent, tangent, 1.0));
  return {static_cast<std::int32_t>(outline * 256), static_cast<std::int32_t>(256 * (0.55 + 0.45 * facing))};
}

/// The colour with light and outline applied.
inline Color blend(Color color, const Look& look) {
  constexpr Color ink = 0x1b2026;
  Color out = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const std::int32_t lit = (static_cast<std::int32_t>(color >> shift & 0xff) * look.light + 128) >> 8;
    const std::int32_t inked =
        (lit * (256 - look.outline) + static_cast<std::int32_t>(ink >> shift & 0xff) * look.outline + 128) >> 8;
    out |= static_cast<Color>(inked) << shift;
  }
  return out;
}

}  // namespace kann::picture
