// Pictures as users ask for them: any cloud, any size, and what is wrong; and libpng reads back what was written.
#include "kann/render.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <png.h>

#include "clouds.hpp"
#include "refusal.hpp"

namespace kann {
namespace {

using test::k_infinity, test::k_nan;

PointsView view_of(const test::Coordinates& c, int d) { return {d, std::span<const float>(c)}; }

RenderOptions small(int threads = 2) {
  RenderOptions options;
  options.width = 200;
  options.height = 160;
  options.threads = threads;
  return options;
}

/// Pixels above the legend that are not of the background.
std::int64_t drawn_pixels(const Image& image, int above) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < std::int64_t{image.width} * above; ++i)
    count += image.rgb[3 * i] != image.rgb[0] || image.rgb[3 * i + 2] != image.rgb[2];
  return count;
}

TEST(Render, TakesAnyCloud) {
  for (const test::CloudKind& kind : test::all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {1, 2, 3, 255, 256, 257, 5000}) {
        const test::Coordinates c = kind.make(n, d, 5);
        std::vector<float> values(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = c[i * d];
        const RenderResult result = render(view_of(c, d), values, small());
        EXPECT_EQ(result.drawn + result.outside, n) << kind.name;
        EXPECT_EQ(result.left_out, 0);
        EXPECT_GT(result.drawn, 0) << kind.name << " " << n;
        ASSERT_EQ(result.image.rgb.size(), 3u * 200 * 160);
        EXPECT_GT(drawn_pixels(result.image, 90), 0) << kind.name << " " << n;
        EXPECT_TRUE(result.image.rgb == render(view_of(c, d), values, small(1)).image.rgb) << kind.name << " " << n;
      }
}

TEST(Render, OnePointIsInTheMiddle) {
  const test::Coordinates c = {3, 4, 5};
  const std::vector<float> values = {7};
  const Image image = render(view_of(c, 3), values, small()).image;
  EXPECT_NE(image.rgb[3 * (62 * 200 + 100)], image.rgb[0]);
  EXPECT_LT(drawn_pixels(image, 90), 40);
}

TEST(Render, NoPointsSaysSo) {
  const std::vector<float> nothing;
  for (const int d : {2, 3}) {
    const RenderResult result = render(view_of({}, d), nothing, small());
    EXPECT_EQ(result.drawn, 0);
    EXPECT_GT(drawn_pixels(result.image, 160), 50);
  }
  const test::Coordinates c = {k_nan, 0, 0, 0, k_infinity, 0};
  const RenderResult result = render(view_of(c, 3), std::vector<float>{1, 2}, small());
  EXPECT_EQ(result.left_out, 2);
  EXPECT_GT(drawn_pixels(result.image, 160), 50);
}

TEST(Render, LeavesOutWhatIsNotFinite) {
  test::Coordinates c = test::uniform(1000, 3, 1);
  std::vector<float> values(1000, 1.0f);
  c[3 * 10] = k_nan;
  c[3 * 20 + 2] = -k_infinity;
  values[30] = k_nan;
  values[40] = k_infinity;
  values[50] = -k_infinity;
  for (const ColorScale scale : {ColorScale::linear, ColorScale::log}) {
    RenderOptions options = small();
    options.scale = scale;
    const RenderResult result = render(view_of(c, 3), values, options);
    EXPECT_EQ(result.left_out, 5);
    EXPECT_EQ(result.drawn, 995);
  }
}

/// One point that can be drawn among many that cannot, where the sample would miss it.
TEST(Render, FindsTheOnlyPoint) {
  test::Coordinates c(3 * 300000, k_nan);
  c[3 * 222222] = c[3 * 222222 + 1] = c[3 * 222222 + 2] = 1;
  const RenderResult result = render(view_of(c, 3), std::vector<float>(300000), small());
  EXPECT_EQ(result.drawn, 1);
  EXPECT_GT(drawn_pixels(result.image, 90), 0);
}

TEST(Render, AnOutlierDoesNotShrinkTheCloud) {
  const test::Coordinates c = test::outlier(5000, 3, 3), plain = test::uniform(5000, 3, 3);
  const std::vector<float> values(5000, 1.0f);
  const RenderResult with = render(view_of(c, 3), values, small()),
                     without = render(view_of(plain, 3), values, small());
  EXPECT_EQ(with.outside, 1);
  EXPECT_NEAR(static_cast<double>(drawn_pixels(with.image, 90)), static_cast<double>(drawn_pixels(without.image, 90)),
              0.05 * static_cast<double>(drawn_pixels(without.image, 90)));
}

/// Map coordinates: what is far from the origin is drawn as what is near it, to the byte.
TEST(Render, DoesNotDependOnTheOrigin) {
  test::Random r(8);
  std::vector<double> here, there;
  std::vector<float> values;
  for (int i = 0; i < 9000; ++i) {
    here.push_back(std::floor(r.uniform() * 100000) / 1024);
    there.push_back(here.back() + (i % 3 == 0 ? 500000 : i % 3 == 1 ? 5200000 : 1000));
    if (i % 3 == 0) values.push_back(static_cast<float>(here.back()));
  }
  const PointsView near(3, std::span<const double>(here)), far(3, std::span<const double>(there));
  EXPECT_TRUE(render(near, values, small()).image.rgb == render(far, values, small()).image.rgb);
}

TEST(Render, TakesCoordinatesAtTheEndOfFloat64) {
  const std::vector<double> c = {1.7e308, -1.7e308, 0, -1.7e308, 1.7e308, 1.7e308, 0, 0, 0, 5e-324, -5e-324, 0};
  const std::vector<float> values = {3e38f, -3e38f, 0, 1e-45f};
  for (const int d : {2, 3}) {
    const PointsView view(d, std::span<const double>(c).first(static_cast<std::size_t>(4 * d)));
    const RenderResult result = render(view, values, small());
    EXPECT_EQ(result.drawn + result.outside, 4);
  }
}

TEST(Render, OwnColorsAreDrawnWithAScaleBarAlone) {
  test::Coordinates c;
  std::vector<std::uint8_t> colors;
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 100; ++j) {
      c.insert(c.end(), {static_cast<float>(i), static_cast<float>(j)});
      colors.insert(colors.end(), {static_cast<std::uint8_t>(i < 50 ? 200 : 10), 90, 30});
    }
  const Image image = render_rgb(view_of(c, 2), colors, small()).image;
  const auto red = [&](int x, int y) { return image.rgb[3 * (static_cast<std::size_t>(y) * 200 + x)]; };
  EXPECT_EQ(red(60, 60), 200);
  EXPECT_EQ(red(140, 60), 10);
  const auto last_rows = [&](int begin, int end) {  // whether something is written in these columns
    for (int y = 140; y < 160; ++y)
      for (int x = begin; x < end; ++x)
        if (red(x, y) != red(0, 0)) return true;
    return false;
  };
  EXPECT_TRUE(last_rows(0, 40));
  EXPECT_FALSE(last_rows(40, 200));
}

/// Also of a cloud without depth, of which nothing but its end is an edge.
TEST(Render, TheEndOfASurfaceIsOutlined) {
  test::Coordinates c;
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 300; ++j) c.insert(c.end(), {static_cast<float>(i), static_cast<float>(j)});
  const std::vector<std::uint8_t> white(3 * 90000, 255);
  const Image image = render_rgb(view_of(c, 2), white, small()).image;
  const auto green = [&](int x, int y) { return image.rgb[3 * (static_cast<std::size_t>(y) * 200 + x) + 1]; };
  int darkest = 255, dark = 0;
  for (int x = 30; x < 60; ++x) darkest = std::min<int>(darkest, green(x, 70));
  for (int x = 60; x < 140; ++x) dark += green(x, 70) != 255;
  EXPECT_LT(darkest, 60);
  EXPECT_EQ(dark, 0);
}

TEST(Render, RangeSetsTheColors) {
  const test::Coordinates c = test::uniform(4000, 2, 1);
  const std::vector<float> values(4000, 5.0f);
  RenderOptions options = small();
  const auto color_at = [&](double low, double high) {
    options.range = {low, high};
    const Image image = render(view_of(c, 2), values, options).image;
    return std::vector(&image.rgb[3 * (62 * 200 + 100)], &image.rgb[3 * (62 * 200 + 100)] + 3);
  };
  EXPECT_EQ(color_at(0, 10), color_at(4, 6));
  EXPECT_EQ(color_at(6, 8), color_at(6, 9));  // all are below
  EXPECT_NE(color_at(6, 8), color_at(0, 10));
  EXPECT_NE(color_at(0, 4), color_at(0, 10));
}

/// Classes have the colours of the numbers 0, 1 and 2 that the map is stretched over.
/// Float32 has one number for 3·10⁸ and 3·10⁸ + 8.
TEST(Render, ValuesWithAnOffsetHaveTheColorsOfThoseWithout) {
  const test::Coordinates c = test::all_clouds()[0].make(2000, 3, 5);
  std::vector<float> values(2000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 21);
  RenderOptions with = small(), without = small();
  with.offset = 3e8;
  const int above = 90;
  const auto top = [&](const RenderOptions& options) {
    const Image image = render(view_of(c, 3), values, options).image;
    return std::vector<std::uint8_t>(image.rgb.begin(), image.rgb.begin() + 3 * image.width * above);
  };
  EXPECT_EQ(top(with), top(without));
  with.range = {3e8 + 5, 3e8 + 10};
  without.range = {5, 10};
  EXPECT_EQ(top(with), top(without));
  with.has_classes = without.has_classes = true;
  EXPECT_EQ(top(with), top(without));
}

TEST(Render, ClassesHaveColorsOfTheirOwn) {
  const test::Coordinates c = test::uniform(3000, 3, 5);
  const PointsView points{3, std::span<const float>(c)};
  std::vector<float> classes, numbers, many;
  for (int i = 0; i < 3000; ++i) {
    const bool is_missing = i % 50 == 0;
    numbers.push_back(is_missing ? NAN : static_cast<float>(i % 3));
    classes.push_back(is_missing ? NAN : std::array{-2.0f, 6.0f, 9.5f}[static_cast<std::size_t>(i % 3)]);
    many.push_back(static_cast<float>(i % 13));
  }
  RenderOptions options;
  options.width = 400;
  options.height = 300;
  options.label = "class";
  RenderOptions stretched = options, plain = options;
  stretched.range = {0, 2 * 192 / 191.0};
  options.has_classes = true;
  const RenderResult got = render(points, classes, options), want = render(points, numbers, stretched);
  EXPECT_EQ(got.left_out, 60);
  const auto drawn = static_cast<std::ptrdiff_t>(3 * 400 * 220);  // above the legends, which differ
  EXPECT_TRUE(std::equal(got.image.rgb.begin(), got.image.rgb.begin() + drawn, want.image.rgb.begin()));
  EXPECT_FALSE(got.image.rgb == want.image.rgb);
  EXPECT_TRUE(render(points, many, options).image.rgb == render(points, many, plain).image.rgb) << "13 are no classes";
  many.assign(3000, NAN);
  EXPECT_EQ(render(points, many, options).left_out, 3000);
  many.assign(3000, 4);
  EXPECT_EQ(render(points, many, options).drawn, 3000);
}

/// Marks are seen from all sides, in the colour that was asked for, and are larger if they are few. Those behind others
/// are not.
TEST(Render, MarksAreDrawnLastAndLarger) {
  test::Coordinates c = test::uniform(20000, 3, 5);
  c.insert(c.end(), {0.5f, 0.5f, 0.5f});  // inside of the cloud
  const PointsView points{3, std::span<const float>(c)};
  std::vector<float> classes(20001, 0.0f);
  classes.back() = 1;
  RenderOptions options = small();
  options.width = 800;
  options.height = 600;
  options.has_classes = true;
  options.class_looks = {{0, "kept", 0x00ff00}, {1, "odd", 0xff0000, ClassPlace::over}};
  const auto red = [&](const RenderResult& result) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < 3 * 800 * 470; i += 3)
      count += result.image.rgb[i] == 255 && result.image.rgb[i + 1] == 0 && result.image.rgb[i + 2] == 0;
    return count;
  };
  const RenderResult one = render(points, classes, options);
  EXPECT_EQ(one.drawn + one.outside, 20001);
  EXPECT_NEAR(static_cast<double>(red(one)), 3.14 / 4 * 8 * 8, 6);  // four units of two pixels
  options.class_looks[1].place = ClassPlace::behind;
  EXPECT_EQ(red(render(points, classes, options)), 0);
  options.class_looks[1].place = ClassPlace::over;
  for (int i = 0; i < 20000; i += 20) classes[static_cast<std::size_t>(i)] = 1;
  const std::int64_t many = red(render(points, classes, options));
  EXPECT_GT(many, 2000);
  EXPECT_LT(many, 40 * 1001) << "no larger than other points";
  options.threads = 7;
  EXPECT_EQ(red(render(points, classes, options)), many);
}

TEST(Render, TakesSizesFrom16To16384) {
  const test::Coordinates c = test::surface(500, 3, 2);
  const std::vector<float> values(500, 1.0f);
  for (const auto& [width, height] : {std::pair{16, 16}, {16, 16384}, {16384, 16}, {17, 4099}}) {
    RenderOptions options;
    options.width = width;
    options.height = height;
    options.label = "label (m)";
    const RenderResult result = render(view_of(c, 3), values, options);
    EXPECT_EQ(result.image.rgb.size(), 3u * width * height);
    EXPECT_EQ(result.drawn + result.outside, 500);
  }
}

template <class F>
void expect_error(ErrorKind kind, const std::string& word, F&& f) {
  const std::string message = test::refusal_of(kind, f);
  EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  EXPECT_NE(message, "") << word;
}

TEST(Render, RefusesOptions) {
  const test::Coordinates c = {0, 0, 0};
  const std::vector<float> values = {1};
  const auto expect_usage = [&](const std::string& word, const std::function<void(RenderOptions&)>& change) {
    RenderOptions options = small();
    change(options);
    expect_error(ErrorKind::usage, word, [&] { render(view_of(c, 3), values, options); });
    expect_error(ErrorKind::usage, word, [&] { render_rgb(view_of(c, 3), std::vector<std::uint8_t>(3), options); });
  };
  for (const int size : {15, 16385, 0, -1, std::numeric_limits<int>::max()}) {
    expect_usage("width", [&](RenderOptions& o) { o.width = size; });
    expect_usage("height", [&](RenderOptions& o) { o.height = size; });
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& range :
       {std::pair{1.0, 1.0}, {2.0, 1.0}, {0.0, infinity}, {std::nan(""), 1.0}, {-1.7e308, 1.7e308}, {0.0, 5e-324}})
    expect_usage("range", [&](RenderOptions& o) { o.range = range; });
  for (const std::array<double, 3>& direction :
       {std::array{0.0, 0.0, 0.0}, {1.0, infinity, 0.0}, {std::nan(""), 0.0, 1.0}})
    expect_usage("direction", [&](RenderOptions& o) { o.view = {View::Kind::direction, direction}; });
  expect_usage("label", [](RenderOptions& o) { o.label = "h\xc3\xb6he"; });
  expect_usage("unit", [](RenderOptions& o) { o.unit = "\xc2\xb5m"; });
  expect_usage("class", [](RenderOptions& o) { o.class_looks = {{1, "\n", {}}}; });
  expect_usage("threads", [](RenderOptions& o) { o.threads = -1; });
}

TEST(Render, RefusesALogarithmicScaleOfNoPositiveValue) {
  const auto c = test::uniform(3, 3, 1);
  RenderOptions options;
  options.scale = ColorScale::log;
  for (const std::vector<float>& values : {std::vector<float>{-1, -2, -3}, {0, 0, -1}})
    expect_error(ErrorKind::usage, "positive values", [&] { render(view_of(c, 3), values, options); });
  EXPECT_NO_THROW(render(view_of(c, 3), std::vector<float>{-1, 2, 3}, options));
  options.range = {1, 2};
  EXPECT_NO_THROW(render(view_of(c, 3), std::vector<float>{-1, -2, -3}, options));
}

TEST(Render, RefusesSizesThatDoNotMatch) {
  const test::Coordinates c(12, 1.0f);
  expect_error(ErrorKind::bad_input, "4 points do not match 3 values",
               [&] { render(view_of(c, 3), std::vector<float>(3), small()); });
  expect_error(ErrorKind::bad_input, "colours",
               [&] { render_rgb(view_of(c, 3), std::vector<std::uint8_t>(13), small()); });
  expect_error(ErrorKind::bad_input, "6 points",
               [&] { render_rgb(view_of(c, 2), std::vector<std::uint8_t>(15), small()); });
  expect_error(ErrorKind::bad_input, "4 coordinates", [&] { render(view_of(c, 4), std::vector<float>(3), small()); });
}

TEST(Png, IsReadBack) {
  test::Random r(1);
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 300}, {300, 1}, {17, 31}, {640, 480}}) {
    Image image{width, height, {}};
    image.rgb.resize(3 * static_cast<std::size_t>(width) * height);
    for (std::uint8_t& byte : image.rgb) byte = static_cast<std::uint8_t>(r.below(256));
    const std::string bytes = png_bytes(image);
    EXPECT_EQ(bytes, png_bytes(image));

    png_image decoded{};
    decoded.version = PNG_IMAGE_VERSION;
    ASSERT_TRUE(png_image_begin_read_from_memory(&decoded, bytes.data(), bytes.size())) << decoded.message;
    EXPECT_EQ(decoded.width, static_cast<png_uint_32>(width));
    EXPECT_EQ(decoded.height, static_cast<png_uint_32>(height));
    EXPECT_EQ(decoded.format & (PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_LINEAR),
              static_cast<png_uint_32>(PNG_FORMAT_FLAG_COLOR));
    decoded.format = PNG_FORMAT_RGB;
    std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(decoded));
    ASSERT_TRUE(png_image_finish_read(&decoded, nullptr, rgb.data(), 0, nullptr)) << decoded.message;
    ASSERT_EQ(rgb.size(), image.rgb.size());
    EXPECT_EQ(std::memcmp(rgb.data(), image.rgb.data(), rgb.size()), 0);
  }
}

TEST(Png, RefusesImagesThatAreNone) {
  for (const Image& image : {Image{}, Image{2, 2, Array<std::uint8_t>(11)}, Image{-1, 1, {}}, Image{0, 5, {}}})
    expect_error(ErrorKind::bad_input, "", [&] { png_bytes(image); });
}

}  // namespace
}  // namespace kann
