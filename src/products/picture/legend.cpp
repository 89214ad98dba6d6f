#include "products/picture/legend.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "products/picture/color_map.hpp"
#include "products/picture/font.hpp"
#include "products/picture/ticks.hpp"

namespace kann::picture {
namespace {

constexpr Color k_text = 0x2b3138;
// Lengths in pixels of the font
constexpr int k_bar_height = 5, k_tick = 2, k_gap = 3, k_foot = 6;
constexpr int k_strip = k_glyph_height + k_gap + k_bar_height + k_tick + k_gap + k_glyph_height + k_foot;

/// Fills the part of a rectangle that is in the image.
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

/// An enlarged glyph; each of its pixels is a square of `unit` × `unit` pixels of the image.
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

/// Doubles width and height, and turns steps into slopes (the rule of Scale2x, Mazzoleni 2001): if the two neighbours
/// at a corner of a pixel are equal, and both differ from the opposite neighbours, that quarter of the pixel takes
/// their value.
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

namespace {

/// The place of the bar in a legend, between the label and the numbers.
struct Bar {
  int unit = 1, left = 0, top = 0, width = 0;
};

/// Writes the label. Returns the place of the bar below it, whose width is 0 if there is no room for a legend.
Bar begin_legend(Image& image, const std::string& label) {
  const int strip = legend_height(image.width, image.height), unit = text_unit(image.width, image.height);
  if (strip == 0) return {};
  const int width = image.width / 5 * 3, top = image.height - strip;
  const std::string title = shortened(label, image.width - 4 * unit, unit);
  write(image, title, (image.width - width_of(title, unit)) / 2, top, unit);
  return {unit, (image.width - width) / 2, top + (k_glyph_height + k_gap) * unit, width};
}

/// Writes numbers below a bar, from left to right. A number that would touch the one before it, or the edge, is left
/// out.
class Numbers {
 public:
  Numbers(Image& image, const Bar& bar)
      : image_(image), unit_(bar.unit), top_(bar.top + (k_bar_height + k_tick + k_gap - 1) * bar.unit) {}

  void write_at(int x, const std::string& text) {
    const int width = width_of(text, unit_), begin = x - (width - 1) / 2;
    if (begin < taken_ || begin < 0 || begin + width > end_) return;
    write(image_, text, begin, top_, unit_);
    taken_ = begin + width + 4 * unit_;
  }

  /// Writes the last number. To be called before the others, so that it keeps its place.
  void write_last_at(int x, const std::string& text) {
    const int width = width_of(text, unit_), begin = x - (width - 1) / 2;
    if (begin < 0 || begin + width > image_.width) return;
    write(image_, text, begin, top_, unit_);
    end_ = begin - 4 * unit_;
  }

 private:
  Image& image_;
  int unit_, top_, taken_ = std::numeric_limits<int>::min(), end_ = image_.width;
};

/// The ticks of a range. If there are values beyond an end, that end has a tick, marked with "at most" or "at least".
std::vector<Tick> marked_ticks(const ColorRange& range) {
  std::vector<Tick> ticks = range.is_log ? log_ticks_of(range.low, range.high) : ticks_of(range.low, range.high);
  const auto mark = [&](double end, char sign, bool is_first) {
    const bool is_there = !ticks.empty() && (is_first ? ticks.front() : ticks.back()).value == end;
    if (!is_there)
      ticks.insert(is_first ? ticks.begin() : ticks.end(), Tick{end, with_short_exponent(fmt::format("{:.4g}", end))});
    Tick& tick = is_first ? ticks.front() : ticks.back();
    tick.text = std::string(1, sign) + " " + tick.text;
  };
  if (range.has_lower) mark(range.low, k_at_most, true);
  if (range.has_higher) mark(range.high, k_at_least, false);
  return ticks;
}

}  // namespace

void draw_legend(Image& image, const ColorRange& range, const std::string& label) {
  const Bar bar = begin_legend(image, label);
  for (int x = 0; x < bar.width; ++x)
    fill(image, bar.left + x, bar.top, 1, k_bar_height * bar.unit,
         color_map()[static_cast<std::size_t>(x) * k_colors / bar.width]);
  if (bar.width == 0) return;
  Numbers numbers(image, bar);
  const auto [low, high] = std::pair(range.low, range.high);
  const std::vector<Tick> ticks = marked_ticks(range);
  const auto place_of = [&](double value) {
    const double place =
        range.is_log ? std::log(value / low) / std::log(high / low) : (value / 2 - low / 2) / (high / 2 - low / 2);
    return bar.left + static_cast<int>(std::lround(place * (bar.width - 1)));
  };
  if (range.has_higher) numbers.write_last_at(place_of(high), ticks.back().text);
  for (const Tick& tick : ticks) {
    const int line = std::max(1, bar.unit / 2), x = place_of(tick.value);
    fill(image, x - line / 2, bar.top + k_bar_height * bar.unit, line, k_tick * bar.unit, k_text);
    if (!range.has_higher || &tick != &ticks.back()) numbers.write_at(x, tick.text);
  }
}

void draw_class_legend(Image& image, std::span<const std::string> names, const std::string& label) {
  const Bar bar = begin_legend(image, label);
  if (bar.width == 0) return;
  const int m = static_cast<int>(names.size());
  const int gap = 2 * bar.unit, width = std::min((bar.width + gap) / m - gap, 24 * bar.unit);
  const int left = (image.width - m * (width + gap) + gap) / 2;
  Numbers numbers(image, bar);
  for (int i = 0; i < m; ++i) {
    const int x = left + i * (width + gap);
    fill(image, x, bar.top, width, k_bar_height * bar.unit, class_color(i, m));
    numbers.write_at(x + width / 2, names[static_cast<std::size_t>(i)]);
  }
}

void draw_notice(Image& image, const std::string& text) {
  int unit = text_unit(image.width, image.height);
  while (unit > 1 && width_of(text, unit) > image.width) --unit;
  write(image, text, (image.width - width_of(text, unit)) / 2, (image.height - k_glyph_height * unit) / 2, unit);
}

}  // namespace kann::picture
