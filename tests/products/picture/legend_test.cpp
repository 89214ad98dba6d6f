// Every character of a label is drawn, and the legend is where it should be.
#include "products/picture/legend.hpp"

#include <gtest/gtest.h>
#include <map>

#include "products/picture/color_map.hpp"
#include "products/picture/font.hpp"

namespace kann::picture {
namespace {

Image white(int width, int height) {
  Image image{width, height, {}};
  image.rgb.resize(3 * static_cast<std::size_t>(width) * height);
  std::ranges::fill(image.rgb, std::uint8_t{255});
  return image;
}

Color at(const Image& image, int x, int y) {
  const std::uint8_t* const p = &image.rgb[3 * (static_cast<std::size_t>(y) * image.width + x)];
  return Color{p[0]} << 16 | Color{p[1]} << 8 | p[2];
}

TEST(Font, HasAllOfAsciiAndNoTwoAlike) {
  std::map<Glyph, char> seen;
  for (char c = ' '; c <= '~'; ++c) {
    for (const std::uint8_t row : glyph_of(c)) EXPECT_LT(row, 1 << k_glyph_width) << c;
    if (c == 'O') continue;  // is 0
    EXPECT_TRUE(seen.emplace(glyph_of(c), c).second) << c << " is drawn as " << seen[glyph_of(c)];
  }
  for (const char c : {'\n', '\x7f', '\xe4'}) EXPECT_EQ(glyph_of(c), glyph_of('\x03'));
  EXPECT_FALSE(seen.contains(glyph_of('\n')));
}

TEST(Legend, BarShowsTheMapInOrder) {
  for (const auto& [width, height] : {std::pair{600, 450}, {1600, 1200}, {2400, 1800}, {16384, 16384}, {300, 2000}}) {
    Image image = white(width, height);
    draw_legend(image, {0, 1}, "");
    const int strip = legend_height(width, height), unit = text_unit(width, height);
    ASSERT_GT(strip, 0);
    const int y = height - strip + (8 + 3) * unit, bar = width / 5 * 3, left = (width - bar) / 2;
    for (int i = 0; i < bar; i += 7)
      ASSERT_EQ(at(image, left + i, y), color_map()[static_cast<std::size_t>(i) * k_colors / bar]);
    for (int x = 0; x < width; x += 5) ASSERT_EQ(at(image, x, height - strip - 1), 0xffffffu);
  }
}

TEST(Legend, WritesTheLabelInTheFont) {
  const std::string label = "mean distance to 8 neighbours (m)";
  Image image = white(1200, 900), without = white(1200, 900);
  draw_legend(image, {0, 1}, label);
  draw_legend(without, {0, 1}, "");
  const int unit = text_unit(1200, 900), top = 900 - legend_height(1200, 900);
  const int left = (1200 - (static_cast<int>(label.size()) * 6 - 1) * unit) / 2;
  for (std::size_t i = 0; i < label.size(); ++i)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 5; ++column) {
        const bool is_set = glyph_of(label[i])[row] >> (4 - column) & 1;
        EXPECT_EQ(at(image, left + (static_cast<int>(i) * 6 + column) * unit, top + row * unit) != 0xffffff, is_set);
      }
  for (int y = top + 8 * unit; y < 900; ++y)
    for (int x = 0; x < 1200; ++x) ASSERT_EQ(at(image, x, y), at(without, x, y));
}

/// Where values lie beyond the bar, its end says so, and numbers that would touch that one are left out.
TEST(Legend, AnEndBeyondWhichThereAreValuesSaysSo) {
  const auto numbers = [](const ColorRange& range) {
    Image image = white(1200, 900);
    draw_legend(image, range, "");
    return image;
  };
  const Image plain = numbers({0, 6}), high = numbers({0, 6, false, false, true}),
              low = numbers({0, 6, false, true, false});
  EXPECT_FALSE(plain.rgb == high.rgb);
  EXPECT_FALSE(plain.rgb == low.rgb);
  const int unit = text_unit(1200, 900), width = 3 * 6 - 1;  // "? 6"
  const int bar = 1200 / 5 * 3, end = (1200 - bar) / 2 + bar - 1, begin = end - (width * unit - 1) / 2;
  const int top = 900 - legend_height(1200, 900) + (8 + 3 + 5 + 2 + 3 - 1) * unit;
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 5; ++column)
      EXPECT_EQ(at(high, begin + column * unit, top + row * unit) != 0xffffff,
                static_cast<bool>(glyph_of(k_at_least)[row] >> (4 - column) & 1));
  const Image close = numbers({0, 6.1, false, false, true});  // the 6 makes way
  EXPECT_EQ(at(close, begin - 60 * unit, top + 3 * unit), 0xffffffu);
}

TEST(Legend, LongLabelsEndInDotsAndSmallPicturesHaveNone) {
  Image image = white(200, 200);
  draw_legend(image, {-1e-38, 3e38}, std::string(500, 'x'));
  draw_notice(image, std::string(500, 'x'));
  for (const auto& [width, height] : {std::pair{16, 16}, {16, 16384}, {16384, 16}}) {
    EXPECT_EQ(legend_height(width, height), 0);
    Image small = white(width, height), untouched = small;
    draw_legend(small, {0, 1}, "label");
    EXPECT_TRUE(small.rgb == untouched.rgb);
    draw_notice(small, "no points");
  }
}

}  // namespace
}  // namespace kann::picture
