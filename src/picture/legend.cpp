#include "picture/legend.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "picture/color_map.hpp"
#include "picture/font.hpp"
#include "picture/ticks.hpp"

namespace kann::picture {
namespace {

constexpr Color k_text = 0x2b3138;
// In pixels of the font
constexpr int k_bar_height = 5, k_tick = 2, k_gap = 3, k_foot = 6;
constexpr int k_strip = k_glyph_height + k_gap + k_bar_height + k_tick + k_gap + k_glyph_height + k_foot;

/// Fills a rectangle, as far as it is in the image.
void fill(Image& image, int left, int top, int width, int height, Color color) {
  for (int y = std::max(0, top); y < std::min(image.height, top + height); ++y)
    for (int x = std::max(0, left); x < std::min(image.width, left + width); ++x)
      for (int channel = 0; channel < 3; ++channel)
        image.rgb[3 * (static_cast<std::size_t>(y) * image.width + x) + channel] =
            static_cast<std::uint8_t>(color >> (16 - 8 * channel));
}

int width_of(std::string_view text, int unit) {
  return text.empty() ? 0 : (static_cast<int>(text.size()) * k_glyph_advance - 1) * unit;
}

/// A glyph, enlarged, in pixels of which `unit` are one of the image.
struct Bitmap {
  int width, height, unit;
  std::vector<bool> pixels;

  bool at(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height && pixels[y * width + x]; }
};

Bitmap bitmap_of(const Glyph& glyph, int unit) {
  Bitmap out{k_glyph_width, k_glyph_height, unit, {}};
  for (const std::uint8_t row : glyph)
    for (int column = 0; column < k_glyph_width; ++column)
      out.pixels.push_back(row >> (k_glyph_width - 1 - column) & 1);
  return out;
}

/// Twice as many pixels, with steps turned into slopes (the rule of Scale2x, Mazzoleni 2001): a quarter of a pixel
/// becomes what its two neighbours on that side both are, where they differ from those on the other sides.
Bitmap doubled(const Bitmap& from) {
  Bitmap out{2 * from.width, 2 * from.height, from.unit / 2, {}};
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x) {
      const int dx = x % 2 == 0 ? -1 : 1, dy = y % 2 == 0 ? -1 : 1;
      const bool beside = from.at(x / 2 + dx, y / 2), above = from.at(x / 2, y / 2 + dy);
      const bool is_corner =
          beside == above && above != from.at(x / 2 - dx, y / 2) && beside != from.at(x / 2, y / 2 - dy);
      out.pixels.push_back(is_corner ? beside : from.at(x / 2, y / 2));
    }
  return out;
}

void write(Image& image, std::string_view text, int left, int top, int unit) {
  for (const char c : text) {
    Bitmap bitmap = bitmap_of(glyph_of(c), unit);
    while (bitmap.unit % 2 == 0) bitmap = doubled(bitmap);
    for (int y = 0; y < bitmap.height; ++y)
      for (int x = 0; x < bitmap.width; ++x)
        if (bitmap.at(x, y))
          fill(image, left + x * bitmap.unit, top + y * bitmap.unit, bitmap.unit, bitmap.unit, k_text);
    left += k_glyph_advance * unit;
  }
}

/// `text`, with an ellipsis if it is wider than `width`.
std::string shortened(const std::string& text, int width, int unit) {
  if (width_of(text, unit) <= width) return text;
  const int fits = (width / unit + 1) / k_glyph_advance;
  return fits <= 3 ? std::string() : text.substr(0, static_cast<std::size_t>(fits) - 3) + "...";
}

}  // namespace

int text_unit(int width, int height) {
  return std::max(1, static_cast<int>(std::lround(std::min(width / 4.0, height / 3.0) / 100)));
}

int legend_height(int width, int height) {
  const int strip = k_strip * text_unit(width, height);
  return 4 * strip <= height && width >= 4 * strip ? strip : 0;
}

void draw_legend(Image& image, double low, double high, const std::string& label) {
  const int strip = legend_height(image.width, image.height), unit = text_unit(image.width, image.height);
  if (strip == 0) return;
  const int bar_width = image.width / 5 * 3, left = (image.width - bar_width) / 2;
  int top = image.height - strip;
  const std::string title = shortened(label, image.width - 4 * unit, unit);
  write(image, title, (image.width - width_of(title, unit)) / 2, top, unit);
  top += (k_glyph_height + k_gap) * unit;
  for (int x = 0; x < bar_width; ++x)
    fill(image, left + x, top, 1, k_bar_height * unit, color_map()[static_cast<std::size_t>(x) * k_colors / bar_width]);
  top += k_bar_height * unit;
  int taken = -image.width;  // up to where numbers are written
  for (const Tick& tick : ticks_of(low, high)) {
    const double place = (tick.value / 2 - low / 2) / (high / 2 - low / 2);
    const int x = left + static_cast<int>(std::lround(place * (bar_width - 1)));
    const int line = std::max(1, unit / 2);
    fill(image, x - line / 2, top, line, k_tick * unit, k_text);
    const int width = width_of(tick.text, unit), begin = x - (width - 1) / 2;
    if (begin < taken + 4 * unit || begin < 0 || begin + width > image.width) continue;
    write(image, tick.text, begin, top + (k_tick + k_gap - 1) * unit, unit);
    taken = begin + width;
  }
}

void draw_notice(Image& image, const std::string& text) {
  int unit = text_unit(image.width, image.height);
  while (unit > 1 && width_of(text, unit) > image.width) --unit;
  write(image, text, (image.width - width_of(text, unit)) / 2, (image.height - k_glyph_height * unit) / 2, unit);
}

}  // namespace kann::picture
