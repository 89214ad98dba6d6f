// Every character of a label is drawn, and the legend is where it should be.
#include "products/picture/legend.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>

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

/// What is written, as rows of pixels that are not white.
std::string written(std::string_view text, int size) {
  Image image = white(text_width(text, size) + 20, 2 * size + 10);
  write(image, text, 10, 5, size);
  std::string rows;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) rows += at(image, x, y) < 0xc0c0c0 ? '#' : ' ';
  return rows + std::to_string(image.width);
}

TEST(Font, HasAllOfAsciiAndNoTwoAlike) {
  for (const int size : {7, 22}) {
    std::map<std::string, char> seen;
    std::string all(1, k_at_most);
    for (char c = '!'; c <= '~'; ++c) all += c;
    for (const char c : all + k_at_least) {
      const std::string rows = written(std::string(1, c), size);
      EXPECT_NE(rows.find('#'), std::string::npos) << c;
      EXPECT_TRUE(seen.emplace(rows, c).second) << c << " is drawn as " << seen[rows] << " at " << size;
    }
  }
  EXPECT_EQ(written("\xc3", 22).find('#'), std::string::npos);
}

/// Straight letters, whose pixels are counted by hand: a stroke is 1.7 fourteenths of a capital's height wide.
TEST(Font, StrokesLieWhereTheirPointsAre) {
  constexpr int size = 140;  // ten pixels per step
  Image image = white(200, 300);
  write(image, "L", 50, 20, size);
  for (int y = 0; y < 300; ++y) {
    EXPECT_EQ(at(image, 50, y) == k_text, y >= 20 - 8 && y <= 160 + 8) << y;
    EXPECT_EQ(at(image, 90, y) == k_text, y >= 160 - 8 && y <= 160 + 8) << y;
  }
  for (int x = 0; x < 200; ++x) EXPECT_EQ(at(image, x, 90) == k_text, x >= 50 - 8 && x <= 50 + 8) << x;
  Image round = white(200, 300);
  write(round, "o", 50, 20, size);  // 80 pixels wide, from 40 below the top to the line, and open
  for (const auto& [x, y] : {std::pair{50, 110}, {130, 110}, {90, 60}, {90, 160}}) EXPECT_EQ(at(round, x, y), k_text);
  EXPECT_EQ(at(round, 90, 110), 0xffffffu);
  EXPECT_EQ(at(round, 53, 63), 0xffffffu) << "corners are round";
}

TEST(Font, WidthsAddUpAndDigitsHaveOne) {
  for (char c = '0'; c <= '9'; ++c) EXPECT_EQ(text_width(std::string(4, c), 22), text_width("0000", 22)) << c;
  EXPECT_EQ(text_width("", 22), 0);
  EXPECT_LT(text_width("ill", 22), text_width("WOM", 22));
}

TEST(Legend, BarShowsTheMapInOrder) {
  for (const auto& [width, height] : {std::pair{600, 450}, {1600, 1200}, {2400, 1800}, {16384, 16384}, {300, 2000}}) {
    Image image = white(width, height);
    draw_legend(image, {0, 1}, "");
    const int strip = legend_height(width, height, true), unit = text_unit(width, height);
    ASSERT_GT(strip, 0);
    const int y = height - strip + (8 + 3) * unit, bar = width / 5 * 3, left = (width - bar) / 2;
    for (int i = 0; i < bar; i += 7)
      ASSERT_EQ(at(image, left + i, y), color_map()[static_cast<std::size_t>(i) * k_colors / bar]);
    for (int x = 0; x < width; x += 5) ASSERT_EQ(at(image, x, height - strip - 1), 0xffffffu);
  }
}

TEST(Legend, WritesTheLabelAboveTheBar) {
  Image image = white(1200, 900), without = image;
  draw_legend(image, {0, 1}, "mean distance to 8 neighbours (m)");
  draw_legend(without, {0, 1}, "");
  const int bar = 900 - legend_height(1200, 900, true) + (8 + 3) * text_unit(1200, 900);
  int left = 1200, right = 0;
  for (int y = 0; y < 900; ++y)
    for (int x = 0; x < 1200; ++x)
      if (at(image, x, y) != at(without, x, y)) {
        ASSERT_LT(y, bar);
        left = std::min(left, x);
        right = std::max(right, x);
      }
  EXPECT_NEAR((left + right) / 2, 600, 3);
  EXPECT_GT(right - left, 300);
}

/// Where values lie beyond the bar, its end says so, and numbers that would touch that one are left out.
TEST(Legend, AnEndBeyondWhichThereAreValuesSaysSo) {
  const auto numbers = [](const ColorRange& range) {
    Image image = white(1200, 900);
    draw_legend(image, range, "");
    return image;
  };
  const Image plain = numbers({0, 6}), high = numbers({0, 6, false, false, true}),
              low = numbers({0, 6, false, true, false}), close = numbers({0, 6.1, false, false, true});
  const int bar = 1200 / 5 * 3, begin = (1200 - bar) / 2, end = begin + bar - 1;
  const auto first_column = [&](const Image& image, int from) {  // that has a number
    for (int x = from; x < 1200; ++x)
      for (int y = 890 - 8 * text_unit(1200, 900); y < 895; ++y)
        if (at(image, x, y) != 0xffffff) return x;
    return 1200;
  };
  EXPECT_LT(first_column(high, end - 40), first_column(plain, end - 40));
  EXPECT_LT(first_column(low, begin - 60), first_column(plain, begin - 60));
  EXPECT_GT(first_column(close, end - 60), end - 60 + 10) << "the 6 makes way";
}

TEST(Legend, ClassesHaveTheirCountsWhereThereIsRoom) {
  std::vector<ClassEntry> classes;
  for (int i = 0; i < 12; ++i)
    classes.push_back({"class " + std::to_string(i), "1,234,567", 0x010000u * static_cast<Color>(i + 1)});
  classes[3].name = "";
  const auto colors_in = [&](const Image& image) {
    std::set<Color> seen;
    for (int y = image.height - legend_height(image.width, image.height, true); y < image.height; ++y)
      for (int x = image.width / 5; x < image.width; ++x)
        if ((at(image, x, y) & 0xffff) == 0) seen.insert(at(image, x, y));
    return seen.size();
  };
  const auto legend = [](int width, int height, std::span<const ClassEntry> entries) {
    Image image = white(width, height);
    draw_class_legend(image, entries, "");
    return image;
  };
  const Image wide = legend(1600, 400, classes), small = legend(600, 450, classes);
  EXPECT_EQ(colors_in(wide), 11u);
  EXPECT_GE(colors_in(small), 9u);
  for (ClassEntry& entry : classes) entry.count = "7,654,321";
  EXPECT_FALSE(legend(1600, 400, classes).rgb == wide.rgb);
  EXPECT_TRUE(legend(600, 450, classes).rgb == small.rgb) << "no room for counts";
  EXPECT_GE(colors_in(legend(200, 200, classes)), 2u);
}

TEST(Legend, TheScaleBarHasARoundLength) {
  for (const auto& [pixels, length] : {std::pair{1.0, 200.0}, {3.0, 50.0}, {1e-9, 2e11}, {400.0, 0.5}, {1e7, 2e-5}}) {
    Image image = white(1600, 1200), other = image;
    draw_scale_bar(image, pixels, "m");
    int most = 0;  // the longest dark row
    for (int y = 0; y < 1200; ++y) {
      int dark = 0;
      for (int x = 0; x < 1600; ++x) dark += at(image, x, y) == k_text;
      most = std::max(most, dark);
    }
    EXPECT_NEAR(most, pixels * length, 1) << pixels;
    draw_scale_bar(other, pixels, "US survey foot");
    EXPECT_FALSE(other.rgb == image.rgb);
  }
  Image image = white(1600, 1200), untouched = image;
  for (const double pixels : {0.0, HUGE_VAL, static_cast<double>(NAN)}) draw_scale_bar(image, pixels, "m");
  EXPECT_TRUE(image.rgb == untouched.rgb);
}

TEST(Legend, LongLabelsEndInDotsAndSmallPicturesHaveNone) {
  Image image = white(200, 200);
  draw_legend(image, {-1e-38, 3e38}, std::string(500, 'x'));
  draw_notice(image, std::string(500, 'x'));
  for (const auto& [width, height] : {std::pair{16, 16}, {16, 16384}, {16384, 16}}) {
    EXPECT_EQ(legend_height(width, height, true), 0);
    Image small = white(width, height), untouched = small;
    draw_legend(small, {0, 1}, "label");
    draw_scale_bar(small, 1, "m");
    EXPECT_TRUE(small.rgb == untouched.rgb);
    draw_notice(small, "no points");
  }
}

}  // namespace
}  // namespace kann::picture
