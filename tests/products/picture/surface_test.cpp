// The Sobel operator, and what is made of it: outlines at the ends of surfaces alone, gaps closed, depth smoothed.
#include "products/picture/surface.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "clouds.hpp"

namespace kann::picture {
namespace {

/// A depth buffer with `depth` everywhere, and the colour 0.
struct Buffer {
  Canvas canvas{40, 30};
  std::vector<std::uint32_t> depths;
  std::vector<Color> colors;

  explicit Buffer(std::uint32_t depth = k_no_depth) : depths(1200, depth), colors(1200) {}
  std::uint32_t& at(int x, int y) { return depths[static_cast<std::size_t>(y) * 40 + x]; }
  Layer layer() { return {depths.data(), colors.data()}; }
};

constexpr std::uint32_t k_near = 1000000, k_far = 3000000;
constexpr Surface k_surface{.closing = 2,
                            .smoothing = 0,
                            .same_depth = 100000,
                            .background = 5000000,
                            .spread = 1,
                            .edge_low = 4e5,
                            .edge_high = 8e5,
                            .end_window = 5,
                            .slope = 1e-6};

TEST(Sobel, IsTheConvolution) {
  const int kernel_x[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}},
            kernel_y[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
  test::Random r(1);
  for (int i = 0; i < 1000; ++i) {
    std::int64_t depths[3][3], x = 0, y = 0;
    for (auto& row : depths)
      for (std::int64_t& depth : row) depth = static_cast<std::int64_t>(r.below(0xffffffff));
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) {
        x += kernel_x[row][column] * depths[row][column];
        y += kernel_y[row][column] * depths[row][column];
      }
    const Gradient got = sobel([&](int dx, int dy) { return depths[1 + dy][1 + dx]; });
    EXPECT_EQ(got.x, x);
    EXPECT_EQ(got.y, y);
    EXPECT_DOUBLE_EQ(got.length(), std::hypot(static_cast<double>(x), static_cast<double>(y)));
  }
}

TEST(Surface, StepsOfDepthAreOutlined) {
  Buffer b(k_near);
  for (int y = 0; y < 30; ++y)
    for (int x = 20; x < 40; ++x) b.at(x, y) = k_far;
  for (int x = 1; x < 39; ++x)
    EXPECT_EQ(look_of(k_surface, b.canvas, b.depths.data(), x, 15).outline, x == 19 || x == 20 ? 256 : 0) << x;
}

TEST(Surface, EndsAreOutlinedButNotThinLinesNorPoints) {
  Buffer half, line, point;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 20; ++x) half.at(x, y) = k_near;
  for (int y = 0; y < 30; ++y) line.at(20, y) = line.at(21, y) = k_near;
  for (int y = 14; y < 17; ++y)
    for (int x = 19; x < 22; ++x) point.at(x, y) = k_near;
  const auto outline = [](Buffer& b, int x, int y) {
    return look_of(k_surface, b.canvas, b.depths.data(), x, y).outline;
  };
  EXPECT_EQ(outline(half, 19, 15), 256);
  EXPECT_GT(outline(half, 20, 15), 120);
  EXPECT_EQ(outline(half, 10, 15), 0);
  EXPECT_EQ(outline(half, 30, 15), 0);
  for (int y = 10; y < 20; ++y)
    for (int x = 10; x < 30; ++x) {
      EXPECT_EQ(outline(line, x, y), 0) << x << " " << y;
      EXPECT_EQ(outline(point, x, y), 0) << x << " " << y;
    }
}

/// A point before a surface is a step of depth on all sides; its outline would be all that is seen of it.
TEST(Surface, APointBeforeASurfaceHasNoOutlineAndAnEdgeBeforeItHas) {
  Buffer point(k_far), edge(k_far);
  for (int y = 14; y < 16; ++y)
    for (int x = 19; x < 21; ++x) point.at(x, y) = k_near;
  for (int y = 0; y < 30; ++y)
    for (int x = 16; x < 24; ++x) edge.at(x, y) = k_near;
  for (int y = 10; y < 20; ++y)
    for (int x = 10; x < 30; ++x) {
      EXPECT_EQ(look_of(k_surface, point.canvas, point.depths.data(), x, y).outline, 0) << x << " " << y;
      EXPECT_EQ(look_of(k_surface, edge.canvas, edge.depths.data(), x, y).outline,
                x == 15 || x == 16 || x == 23 || x == 24 ? 256 : 0)
          << x << " " << y;
    }
}

TEST(Surface, LightFollowsTheSlope) {
  Buffer flat(k_near), steep;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) steep.at(x, y) = k_near + 20000 * static_cast<std::uint32_t>(x);
  Surface surface = k_surface;
  surface.slope = 1 / (8.0 * 20000);  // a step of 20,000 per pixel is 45°
  EXPECT_EQ(look_of(surface, flat.canvas, flat.depths.data(), 20, 15).light, 256);
  EXPECT_EQ(look_of(surface, steep.canvas, steep.depths.data(), 20, 15).light,
            static_cast<int>(256 * (0.55 + 0.45 * std::sqrt(0.5))));
}

TEST(Surface, GapsAreClosedAndEndsStay) {
  Buffer b, closed;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 20; ++x) b.at(x, y) = k_near;
  b.at(8, 8) = k_no_depth;  // an open gap
  b.at(12, 20) = k_far;     // one through which something is seen
  for (int y = 12; y < 18; ++y)
    for (int x = 4; x < 10; ++x) b.at(x, y) = k_no_depth;  // a hole
  b.colors[8 * 40 + 7] = 7;
  const Canvas canvas = b.canvas;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) close_gap(k_surface, canvas, b.layer(), closed.layer(), x, y);
  EXPECT_EQ(closed.at(8, 8), k_near);
  EXPECT_EQ(closed.at(12, 20), k_near);
  EXPECT_EQ(closed.at(6, 15), k_no_depth);
  for (int y = 0; y < 30; ++y)
    for (int x = 20; x < 40; ++x) EXPECT_EQ(closed.at(x, y), k_no_depth) << x << " " << y;
  EXPECT_EQ(closed.colors[8 * 40 + 7], 7u);
}

TEST(Surface, SmoothDepthIsTheMeanOfTheSurface) {
  test::Random r(2);
  Buffer b;
  for (std::uint32_t& depth : b.depths)
    depth = r.below(5) == 0 ? k_no_depth : (r.below(2) ? k_near : k_far) + static_cast<std::uint32_t>(r.below(90000));
  Surface surface = k_surface;
  for (const int radius : {0, 1, 2, 3}) {
    surface.smoothing = radius;
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 40; ++x) {
        const std::uint32_t own = b.at(x, y);
        double sum = 0, count = 0;
        for (int v = std::max(0, y - radius); v <= std::min(29, y + radius); ++v)
          for (int u = std::max(0, x - radius); u <= std::min(39, x + radius); ++u)
            if (b.at(u, v) != k_no_depth && std::abs(double{1} * b.at(u, v) - own) <= 100000)
              sum += b.at(u, v), ++count;
        const std::uint32_t got = smooth_depth(surface, b.canvas, b.depths.data(), x, y);
        if (own == k_no_depth)
          EXPECT_EQ(got, k_no_depth);
        else
          EXPECT_NEAR(got, sum / count, 1.0) << x << " " << y;
      }
  }
}

TEST(Surface, BlendMixesEachChannel) {
  EXPECT_EQ(blend(0xff8040, {0, 256}), 0xff8040u);
  EXPECT_EQ(blend(0xff8040, {0, 128}), 0x804020u);
  EXPECT_EQ(blend(0xff8040, {256, 256}), blend(0x000000, {256, 256}));
}

}  // namespace
}  // namespace kann::picture
