#include "products/picture/legend.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "products/picture/color_map.hpp"
#include "products/picture/font.hpp"
#include "products/picture/ticks.hpp"

namespace kann::picture {
namespace {

// Lengths in text units
constexpr int k_letter = 8, k_bar_height = 5, k_tick = 2, k_gap = 3, k_foot = 6;
constexpr int k_scale_strip = k_bar_height + k_tick + k_gap + k_letter + k_foot;
constexpr int k_strip = k_letter + k_gap + k_scale_strip;

/// The height of capitals, at least that at which letters are legible.
int text_size(int unit) { return std::max(7, unit * 11 / 2); }

void fill(Image& image, int left, int top, int width, int height, Color color) {
  for (int y = top; y < top + height; ++y)
    for (int x = left; x < left + width; ++x) tint(image, x, y, color, 1);
}

/// `text`, with an ellipsis if it is wider than `width`.
std::string shortened(std::string text, int width, int size) {
  if (text_width(text, size) <= width) return text;
  while (!text.empty() && text_width(text + "...", size) > width) text.pop_back();
  return text.empty() ? text : text + "...";
}

}  // namespace

int text_unit(int width, int height) {
  return std::max(1, static_cast<int>(std::lround(std::min(width / 4.0, height / 3.0) / 100)));
}

int legend_height(int width, int height, bool has_colors) {
  const int unit = text_unit(width, height), strip = k_strip * unit;
  if (4 * strip > height || width < 4 * strip) return 0;
  return has_colors ? strip : k_scale_strip * unit;
}

namespace {

/// The place of the bar in a legend, between the label and the numbers.
struct Bar {
  int unit = 1, size = 1, left = 0, top = 0, width = 0;

  int below() const { return top + (k_bar_height + k_tick + k_gap) * unit; }  // of the numbers
};

/// Writes the label. Returns the place of the bar below it, whose width is 0 if there is no room for a legend.
Bar begin_legend(Image& image, const std::string& label) {
  const int strip = legend_height(image.width, image.height, true), unit = text_unit(image.width, image.height);
  if (strip == 0) return {};
  const int width = image.width / 5 * 3, top = image.height - strip, size = text_size(unit);
  const std::string title = shortened(label, image.width - 4 * unit, size);
  write(image, title, (image.width - text_width(title, size)) / 2, top + unit, size);
  return {unit, size, (image.width - width) / 2, top + (k_letter + k_gap) * unit, width};
}

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
  const double low = range.low, high = range.high;
  const std::vector<Tick> ticks = marked_ticks(range);
  const auto place_of = [&](double value) {
    const double place =
        range.is_log ? std::log(value / low) / std::log(high / low) : (value / 2 - low / 2) / (high / 2 - low / 2);
    return bar.left + static_cast<int>(std::lround(place * (bar.width - 1)));
  };
  std::vector<std::pair<int, int>> taken;  // by numbers below the bar; one that would touch another is left out
  const auto write_number = [&](const Tick& tick) {
    const int width = text_width(tick.text, bar.size), begin = place_of(tick.value) - (width - 1) / 2;
    const int end = begin + width, apart = 4 * bar.unit;
    const auto touches = [&](const auto& other) { return begin < other.second + apart && other.first < end + apart; };
    if (begin < 0 || end > image.width || std::ranges::any_of(taken, touches)) return;
    write(image, tick.text, begin, bar.below(), bar.size);
    taken.emplace_back(begin, end);
  };
  if (range.has_higher) write_number(ticks.back());  // that there are higher values has to be said
  for (const Tick& tick : ticks) {
    const int line = std::max(1, bar.unit / 2);
    fill(image, place_of(tick.value) - line / 2, bar.top + k_bar_height * bar.unit, line, k_tick * bar.unit, k_text);
    write_number(tick);
  }
}

void draw_class_legend(Image& image, std::span<const ClassEntry> classes, const std::string& label) {
  const Bar bar = begin_legend(image, label);
  if (bar.width == 0) return;
  // Two rows, right of the scale bar; in small pictures, what has no room is left out: counts first, then classes
  const int swatch = bar.size, near = 3 * bar.unit, apart = 8 * bar.unit;
  const int left = image.width / 5, right = image.width - 4 * bar.unit;
  struct Row {
    std::vector<std::pair<Color, std::string>> entries = {};
    int width = 0;
  };
  std::vector<Row> rows;
  for (const bool has_counts : {true, false}) {
    rows.assign(1, {});
    for (const ClassEntry& c : classes) {
      if (c.name.empty()) continue;
      const std::string text = has_counts ? c.name + " " + c.count : c.name;
      const int width = swatch + near + text_width(text, bar.size) + apart;
      if (rows.back().width + width - apart > right - left) rows.emplace_back();
      rows.back().entries.emplace_back(c.color, text);
      rows.back().width += width;
    }
    if (rows.size() <= 2) break;
  }
  rows.resize(std::min<std::size_t>(rows.size(), 2));
  int top = bar.top;
  for (const Row& row : rows) {
    int x = std::clamp((image.width - row.width + apart) / 2, left, std::max(left, right - row.width + apart));
    for (const auto& [color, text] : row.entries) {
      fill(image, x, top, swatch, bar.size + 1, color);
      write(image, text, x + swatch + near, top, bar.size);
      x += swatch + near + text_width(text, bar.size) + apart;
    }
    top = bar.below();
  }
}

void draw_scale_bar(Image& image, double pixels_per_unit, const std::string& unit) {
  const int text = text_unit(image.width, image.height), margin = 6 * text;
  const double most = (image.width / 5 - 2 * margin) / pixels_per_unit;
  if (legend_height(image.width, image.height, false) == 0 || !(most > 1e-300 && most < 1e300)) return;
  const double length = rounded_out(most, most, true).first;
  const Bar bar{text, text_size(text), margin, image.height - k_scale_strip * text,
                static_cast<int>(std::lround(length * pixels_per_unit))};
  const int line = std::max(1, text / 2), end = bar.top + k_bar_height * text;
  fill(image, margin, end - line, bar.width, line, k_text);
  for (const int x : {margin, margin + bar.width - line})
    fill(image, x, bar.top + text, line, end - bar.top - text, k_text);
  const std::string number = with_short_exponent(fmt::format("{:g}", length));
  write(image, shortened(unit.empty() ? number : number + " " + unit, image.width / 5 - margin, bar.size), margin,
        bar.below(), bar.size);
}

void draw_notice(Image& image, const std::string& text) {
  int size = text_size(text_unit(image.width, image.height));
  while (size > 5 && text_width(text, size) > image.width) --size;
  write(image, text, (image.width - text_width(text, size)) / 2, (image.height - size) / 2, size);
}

}  // namespace kann::picture
