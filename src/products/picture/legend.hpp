// The text in a picture: the legend, and the notice that there is nothing to see.
#pragma once

#include <span>
#include <string>

#include "kann/render.hpp"

#include "products/picture/cloud.hpp"

namespace kann::picture {

/// The size of a pixel of the font in pixels of the picture: 1 at a size of 16, 2 at 600, 4 at 1600.
int text_unit(int width, int height);

/// The height of the strip at the foot of a picture in which draw_legend() draws; 0 where the picture is too small for
/// one.
int legend_height(int width, int height);

/// The range of values that a colour bar shows.
struct ColorRange {
  double low = 0, high = 1;
  bool is_log = false;
  bool has_lower = false, has_higher = false;  ///< whether there are values beyond `low` or `high`
};

/// Draws the colour bar of the range, its ticks, and its label above it. Where there are values beyond it, the tick at
/// that end says at least or at most.
void draw_legend(Image& image, const ColorRange& range, const std::string& label);

/// Draws the colours of classes with their names: class i of m has the colour at i / (m − 1) of the map.
void draw_class_legend(Image& image, std::span<const std::string> names, const std::string& label);

/// Writes `text` in the middle of the picture, as large as possible.
void draw_notice(Image& image, const std::string& text);

}  // namespace kann::picture
