// The colour map is even, and is read alike by people who cannot tell red from green; every character of a label is
// drawn; and the legend, with its ticks, is where it should be.
#include "products/picture/legend.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "clouds.hpp"
#include "products/picture/color_map.hpp"
#include "products/picture/font.hpp"
#include "products/picture/ticks.hpp"

namespace kann::picture {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& m, const Vector& v) {
  Vector out{};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) out[row] += m[row][column] * v[column];
  return out;
}

Vector linear(Color color) {
  Vector out;
  for (int channel = 0; channel < 3; ++channel) {
    const double c = (color >> (16 - 8 * channel) & 0xff) / 255.0;
    out[channel] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

/// By way of XYZ (Ottosson 2020, "Definition of OKLab"), which the map does not take.
Vector oklab(const Vector& rgb) {
  const Vector xyz = times(
      {{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}}, rgb);
  Vector lms = times({{{0.8189330101, 0.3618667424, -0.1288597137},
                       {0.0329845436, 0.9293118715, 0.0361456387},
                       {0.0482003018, 0.2643662691, 0.6338517070}}},
                     xyz);
  for (double& x : lms) x = std::cbrt(x);
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               lms);
}

double distance(const Vector& a, const Vector& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

/// Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision deficiency",
/// severity 1.0; for linear RGB.
constexpr Matrix k_protanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix k_deuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix k_unchanged{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Vector seen(Color color, const Matrix& vision) {
  Vector rgb = times(vision, linear(color));
  for (double& x : rgb) x = std::clamp(x, 0.0, 1.0);
  return oklab(rgb);
}

TEST(ColorMap, RisesInLightnessInAnyVision) {
  for (const Matrix& vision : {k_unchanged, k_protanopia, k_deuteranopia}) {
    // Of eight bits, a colour may be rounded by half a step: strictly from one to the next but one
    for (int i = 1; i < k_colors; ++i)
      EXPECT_GE(seen(color_map()[i], vision)[0], seen(color_map()[i - 1], vision)[0] - 5e-4) << i;
    for (int i = 2; i < k_colors; ++i)
      EXPECT_GT(seen(color_map()[i], vision)[0], seen(color_map()[i - 2], vision)[0]) << i;
    EXPECT_GT(seen(color_map()[k_colors - 1], vision)[0] - seen(color_map()[0], vision)[0], 0.5);
  }
  for (int i = 1; i < k_colors; ++i)
    EXPECT_GT(seen(color_map()[i], k_unchanged)[0], seen(color_map()[i - 1], k_unchanged)[0]) << i;
}

TEST(ColorMap, HasEvenSteps) {
  constexpr int step = 16;  // over which the rounding to eight bits does not count
  double least = 1, most = 0;
  for (int i = 0; i + step < k_colors; i += step) {
    const double d = distance(seen(color_map()[i], k_unchanged), seen(color_map()[i + step], k_unchanged));
    least = std::min(least, d);
    most = std::max(most, d);
  }
  EXPECT_LT(most, 1.1 * least);
}

TEST(ColorMap, GoesFromBlueToYellow) {
  const Vector first = oklab(linear(color_map().front())), last = oklab(linear(color_map().back()));
  EXPECT_LT(first[2], -0.08);
  EXPECT_GT(last[2], 0.12);
  EXPECT_LT(last[0], 0.95);  // is seen on white
}

std::vector<std::string> texts(double low, double high) {
  std::vector<std::string> out;
  for (const Tick& tick : ticks_of(low, high)) out.push_back(tick.text);
  return out;
}

using Texts = std::vector<std::string>;

TEST(Ticks, AreAsPeopleWriteThem) {
  EXPECT_EQ(texts(0.13, 0.87), (Texts{"0.2", "0.4", "0.6", "0.8"}));
  EXPECT_EQ(texts(0, 100), (Texts{"0", "20", "40", "60", "80", "100"}));
  EXPECT_EQ(texts(-1, 1), (Texts{"-1", "-0.5", "0", "0.5", "1"}));
  EXPECT_EQ(texts(700, 2400), (Texts{"1000", "1500", "2000"}));
  EXPECT_EQ(texts(0, 1e-7), (Texts{"0", "2e-8", "4e-8", "6e-8", "8e-8", "1e-7"}));
  EXPECT_EQ(texts(0, 3e38), (Texts{"0", "1e38", "2e38", "3e38"}));
}

/// Whether `value` is a multiple of a step, but for rounding.
bool is_multiple(double value, double step) {
  return std::abs(value / step - std::nearbyint(value / step)) < 1e-6 * std::max(1.0, std::abs(value / step));
}

TEST(Ticks, AreRoundAndInTheRange) {
  test::Random r(1);
  const std::set<int> leading{10, 20, 25, 50};
  for (int i = 0; i < 20000; ++i) {
    const double width = std::pow(10, 80 * r.uniform() - 42),
                 low = (2 * r.uniform() - 1) * width * (i % 3 == 0 ? 30 : 1);
    const double high = low + width;
    const std::vector<Tick> ticks = ticks_of(low, high);
    ASSERT_GE(ticks.size(), 3u) << low << " " << high;
    ASSERT_LE(ticks.size(), 6u) << low << " " << high;
    const double step = ticks[1].value - ticks[0].value;
    const double digits = step / std::pow(10, std::floor(std::log10(step) + 1e-6) - 1);
    EXPECT_TRUE(leading.contains(static_cast<int>(std::lround(digits)))) << step;
    EXPECT_NEAR(digits, std::round(digits), 1e-6);
    for (std::size_t t = 0; t < ticks.size(); ++t) {
      EXPECT_GE(ticks[t].value, low);
      EXPECT_LE(ticks[t].value, high);
      EXPECT_TRUE(is_multiple(ticks[t].value, step)) << ticks[t].value << " " << step;
      EXPECT_NEAR(std::strtod(ticks[t].text.c_str(), nullptr), ticks[t].value, 1e-6 * step) << ticks[t].text;
    }
  }
}

TEST(Ticks, OfRangesThatFloat64BarelyHolds) {
  const double one = 1;
  for (const Tick& tick : ticks_of(one, std::nextafter(one, 2))) EXPECT_TRUE(tick.value >= 1 && tick.value < 1.1);
  EXPECT_GE(ticks_of(-1.7e308, -1.6e308).size(), 3u);
  for (const Tick& tick : ticks_of(5e-324, 5e-323)) EXPECT_TRUE(tick.value >= 5e-324 && tick.value <= 5e-323);
}

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
