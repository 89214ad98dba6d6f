// The text in a picture: the legend, and the notice that there is nothing to see.
#pragma once

#include <span>
#include <string>

#include "kann/render.hpp"

#include "products/picture/cloud.hpp"

namespace kann::picture {

/// The unit of what is written and of margins, in pixels: 1 at a width of 16, 2 at 600, 4 at 1600.
int text_unit(int width, int height);

/// The height of the strip at the foot of a picture that has the scale bar and, if it `has_colors`, their legend; 0
/// where the picture is too small for one.
int legend_height(int width, int height, bool has_colors);

/// The range of values that a colour bar shows.
struct ColorRange {
  double low = 0, high = 1;
  bool is_log = false;
  bool has_lower = false, has_higher = false;  ///< whether there are values beyond `low` or `high`
};

/// Draws the colour bar of the range, its ticks, and its label above it. Where there are values beyond it, the tick at
/// that end says at least or at most.
void draw_legend(Image& image, const ColorRange& range, const std::string& label);

struct ClassEntry {
  std::string name, count;  ///< without a name: not in the legend
  Color color;
};

/// Draws the colours of classes with their names and counts. Where there is no room, counts are left out first.
void draw_class_legend(Image& image, std::span<const ClassEntry> classes, const std::string& label);

/// Draws a line of a round length in the left part of the strip, and the length below it.
void draw_scale_bar(Image& image, double pixels_per_unit, const std::string& unit);

/// Writes `text` in the middle of the picture, as large as possible.
void draw_notice(Image& image, const std::string& text);

}  // namespace kann::picture
