#include "products/picture/font.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace kann::picture {
namespace {

// A letter is the path of a round pen: strokes, separated by spaces, of points, each of two characters. The first is
// the column, a hexadecimal digit; the second is the row, from a (the top of capitals) by e (that of small letters) and
// o (the line) to s. At a point with a capital letter, the pen turns; a small letter pulls a curve, as in a quadratic
// B-spline. Example: "0A3d3m0P" is a closing bracket. The letter is as wide as its points are.
// clang-format off
constexpr std::array<std::string_view, 97> k_letters{
    "2O", "0A0J 0O0O", "0A0D 3A3D", "4A2O 8A6O 1E9E 0J8J", "8D8b0b0h8h8n0n0L 4A4O", "2A4a4g0g0a2A 9IBiBo7o7i9I 9A2O",
    "AO2f2a7a7f0g0o7o9I", "0A0D", "3A0d0m3P", "0A3d3m0P", "3A3G 0B6F 6B0F", "4D4L 0H8H", "1N1O0R", "0I5I", "0O0O",
    "5A0P", "4A8a8o0o0a4A", "1D4A4O 1O7O 8O", "0D0a8a8f0O8O", "0D0a7a7h3H8h8o0o0L", "6O6A0K8K", "7A1A0G2e8e8o0o0L",
    "7B7a0a0o8o8f0f0J", "0A8A3O", "4A7a7g1g1a4A 4G8g8o0o0g4G", "1N1o8o8a0a0j8j8F", "0G0G 0O0O", "1G1G 1N1O0R",
    "7D0H7L", "0F8F 0J8J", "0D7H0L", "0D0a7a7f3f3J 3O3O", "6E9e9k3k3e6E 9E9kCkCa0a0o9N", "0O5AAO 2J8J",
    "0O0A4A8a8g4G0G 4G9g9o4O0O", "AC8a0a0o8oAM", "0A0O4OAoAa4A0A", "8A0A0O8O 0G7G", "8A0A0O 0G7G", "AC8a0a0oAoAH6H",
    "0A0O 9A9O 0G9G", "0A0O", "5A5J5o0O", "0A0O 8A0I 3F9O", "0A0O7O", "0O0A6KCACO", "0O0A9O9A", "5AAaAo0o0a5A",
    "0O0A4A9a9h4H0H", "5AAaAo0o0a5A 6KAP", "0O0A4A9a9h4H0H 4H9O", "8C7a0a0h9h9o1o0M", "0AAA 5A5O", "0A0I0o9o9I9A",
    "0A5OAA", "0A3O7CBOEA", "0A9O 9A0O", "0A5HAA 5H5O", "0A9A0O9O", "3A0A0P3P", "0A5P", "0A3A3P0P", "0F3A6F", "0Q8Q",
    "0A2D", "1F2e7e7H7O 7I0i0o7o7L", "0A0O 0H0e8e8o0o0K", "7G7e0e0o7o7M", "8A8O 8H8e0e0o8o8K", "0J8J8e0e0o7o8M",
    "5A2a2E2O 0E5E", "8H8e0e0o8o8K 8E8P8s1s0R", "0A0O 0H0e7e7J7O", "0E0O 0A0A", "2E2P2r0R 2A2A", "0A0O 6E0K 2I7O",
    "0A0L0o2O", "0E0O 0H0e6e6J6O 6H6eCeCJCO", "0E0O 0H0e7e7J7O", "4E8e8o0o0e4E", "0E0S 0H0e8e8o0o0K", "8E8S 8H8e0e0o8o8K",
    "0E0O 0I0e5E", "6G6e0e0j7j7o0o0M", "2A2L2o5O 0E5E", "0E0J0o7o7K 7E7O", "0E4O8E", "0E3O6FAOCE", "0E7O 7E0O",
    "0E4O 8E4O3r0R", "0E7E0O7O", "4A2a2h0H2h2p4P", "0A0Q", "0A2a2h4H2h2p0P", "0J0g4g4j8j8G", "7C0G7K 0O7O",
    "0C7G0K 0O7O",
};
// clang-format on
constexpr double k_capital = 14, k_bearing = 4.2, k_pen = 0.85;  // a letter's height, space around it, half a stroke

std::string_view letter_of(char c) {
  const std::size_t signs = 95;
  if (c == k_at_most || c == k_at_least) return k_letters[signs + (c == k_at_least)];
  return k_letters[c >= ' ' && c <= '~' ? static_cast<std::size_t>(c - ' ') : 0];
}

double column_of(char digit) { return digit <= '9' ? digit - '0' : digit - 'A' + 10; }

double advance_of(std::string_view letter) {
  double width = 0;
  for (std::size_t i = 0; i < letter.size(); i += letter[i] == ' ' ? 1 : 2)
    if (letter[i] != ' ') width = std::max(width, column_of(letter[i]));
  return width + k_bearing;
}

struct Place {
  double x, y;

  Place operator+(const Place& other) const { return {x + other.x, y + other.y}; }
  Place operator*(double factor) const { return {x * factor, y * factor}; }
};

/// A straight part of a stroke.
struct Segment {
  Place from, to;

  double squared_distance(const Place& p) const {
    const double dx = to.x - from.x, dy = to.y - from.y, squared = dx * dx + dy * dy;
    const double along = squared > 0 ? ((p.x - from.x) * dx + (p.y - from.y) * dy) / squared : 0;
    const Place nearest = from + Place{dx, dy} * std::clamp(along, 0.0, 1.0);
    return (p.x - nearest.x) * (p.x - nearest.x) + (p.y - nearest.y) * (p.y - nearest.y);
  }
};

/// The strokes of a letter, with curves in straight parts. @param scale pixels per row
std::vector<Segment> segments_of(std::string_view letter, double scale) {
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < letter.size();) {
    const std::string_view stroke = letter.substr(i, letter.find(' ', i) - i);
    const auto is_corner = [&](std::size_t p) { return stroke[p + 1] < 'a'; };
    const auto place = [&](std::size_t p) {
      return Place{column_of(stroke[p]), static_cast<double>(stroke[p + 1] - (is_corner(p) ? 'A' : 'a'))} * scale;
    };
    Place at = place(0);
    const auto line_to = [&](const Place& to) {
      segments.push_back({at, to});
      at = to;
    };
    for (std::size_t p = 2; p < stroke.size(); p += 2) {
      if (is_corner(p)) {
        line_to(place(p));
        continue;
      }
      const Place from = at, pull = place(p), next = place(p + 2);
      const Place to = is_corner(p + 2) ? next : (pull + next) * 0.5;
      constexpr int parts = 8;
      for (int t = 1; t <= parts; ++t) {
        const double u = t / double{parts}, v = 1 - u;
        line_to(from * (v * v) + pull * (2 * u * v) + to * (u * u));
      }
      if (is_corner(p + 2)) p += 2;
    }
    i += stroke.size() + 1;
  }
  return segments;
}

}  // namespace

void tint(Image& image, int x, int y, Color color, double part) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return;
  std::uint8_t* const pixel = &image.rgb[3 * (static_cast<std::size_t>(y) * image.width + x)];
  for (int channel = 0; channel < 3; ++channel) {
    const double ink = color >> (16 - 8 * channel) & 0xff;
    pixel[channel] = static_cast<std::uint8_t>(std::lround(pixel[channel] + (ink - pixel[channel]) * part));
  }
}

int text_width(std::string_view text, int size) {
  double width = -k_bearing;
  for (const char c : text) width += advance_of(letter_of(c));
  return text.empty() ? 0 : static_cast<int>(std::lround(width * size / k_capital));
}

void write(Image& image, std::string_view text, int left, int top, int size) {
  const double scale = size / k_capital, pen = std::max(0.6, k_pen * scale);
  double begin = left;
  for (const char c : text) {
    const double width = advance_of(letter_of(c)) * scale;
    // The centre of a pixel is at whole numbers, so that the top and the line of a letter fill whole rows
    const int margin = 1 + static_cast<int>(pen), x0 = static_cast<int>(std::lround(begin)) - margin, y0 = top - margin;
    const int columns = static_cast<int>(width) + 2 * margin, rows = size * 3 / 2 + 2 * margin;
    std::vector<double> ink(static_cast<std::size_t>(columns * rows));
    for (const Segment& segment : segments_of(letter_of(c), scale)) {
      const auto [x_low, x_high] = std::minmax(segment.from.x, segment.to.x);
      const auto [y_low, y_high] = std::minmax(segment.from.y, segment.to.y);
      const int x_end = std::min(columns, static_cast<int>(x_high) + 2 * margin + 2);
      const int y_end = std::min(rows, static_cast<int>(y_high) + 2 * margin + 2);
      for (int y = static_cast<int>(y_low); y < y_end; ++y)
        for (int x = static_cast<int>(x_low); x < x_end; ++x) {
          const Place at{static_cast<double>(x - margin), static_cast<double>(y - margin)};
          double& pixel = ink[static_cast<std::size_t>(y * columns + x)];
          pixel = std::max(pixel, std::min(1.0, pen + 0.5 - std::sqrt(segment.squared_distance(at))));
        }
    }
    for (int i = 0; i < columns * rows; ++i)
      tint(image, x0 + i % columns, y0 + i / columns, k_text, ink[static_cast<std::size_t>(i)]);
    begin += width;
  }
}

}  // namespace kann::picture
