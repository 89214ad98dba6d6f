// The pixels of points, against a loop over all points for each pixel.
#include "products/picture/draw.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"
#include "products/picture/camera.hpp"
#include "products/picture/take_sample.hpp"

namespace kann::picture {
namespace {

constexpr Canvas k_drawn{400, 300};

/// The definition: of the points whose disc has the centre of a pixel, or which lie in it, the one with the smallest
/// depth + cone (ties: the smallest index). −1: none.
std::int64_t point_seen(const Scene& scene, const std::vector<ScreenPoint>& points, int px, int py) {
  std::int64_t best = -1;
  std::uint64_t best_depth = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double cx = 256.0 * px + 128, cy = 256.0 * py + 128;
    const double squared = (points[i].x - cx) * (points[i].x - cx) + (points[i].y - cy) * (points[i].y - cy);
    const bool is_in = std::floor(points[i].x / 256.0) == px && std::floor(points[i].y / 256.0) == py;
    const bool is_own = is_in && scene.splat.radius == 0;
    const bool is_covered = scene.splat.radius > 0 && std::sqrt(squared) <= scene.splat.radius;
    if (!is_in && !is_covered) continue;
    std::uint64_t depth = points[i].depth;
    if (!is_own)
      depth += static_cast<std::uint64_t>(std::floor(static_cast<long double>(squared) * scene.splat.cone / 65536));
    depth = std::min<std::uint64_t>(depth, 0xfffffffe);
    if (depth < best_depth) best_depth = depth, best = static_cast<std::int64_t>(i);
  }
  return best;
}

struct Drawing {
  Array<std::uint8_t> rgb;
  RenderCounts counts;
};

/// The cloud as one block.
Drawing draw_whole(const PointsView& points, const PointColors& colors, const Scene& scene, int threads) {
  FrameBuffer frame(scene, threads);
  frame.draw(points, colors);
  return {frame.finish(), frame.counts()};
}

/// Without what is made of the depth buffer: a pixel has the colour of its point.
void make_plain(Surface& s) {
  s.same_depth = 0xffffffff;
  s.smoothing = 0;
  s.edge_low = 1e18;
  s.edge_high = 2e18;
  s.slope = 0;
}

TEST(Draw, IsTheDefinition) {
  for (const test::CloudKind& kind : test::all_clouds())
    for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 300})
      for (const double radius : {0.0, 0.8, 3.3}) {
        const int d = n % 2 == 0 ? 3 : 2;
        test::Coordinates c = kind.make(n, d, 7);
        if (n > 15) c[5] = std::numeric_limits<float>::quiet_NaN();
        std::vector<std::uint8_t> rgb(static_cast<std::size_t>(3 * n));
        for (std::size_t i = 0; i < rgb.size(); ++i)
          rgb[i] = static_cast<std::uint8_t>(i / 3 * (i % 3 == 0 ? 1 : 7) % 251);
        const PointsView view(d, std::span<const float>(c));
        const PointColors colors{.colors = rgb.data()};
        const Sample sample = take_sample(view, colors);
        Scene scene = make_scene({41, 33}, 1, axes_of({}, d, sample, k_drawn), sample);
        scene.splat.radius = static_cast<std::int32_t>(256 * radius);
        make_plain(scene.surface);
        const Drawing got = draw_whole(view, colors, scene, 2);

        std::vector<ScreenPoint> points;
        std::vector<std::int64_t> rows;
        std::int64_t inside = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          if (n > 15 && i == 5 / d) continue;
          points.push_back(scene.projection(c[i * d], c[i * d + 1], d == 3 ? c[i * d + 2] : 0));
          rows.push_back(i);
          inside +=
              points.back().x >= 0 && points.back().x < 41 * 256 && points.back().y >= 0 && points.back().y < 33 * 256;
        }
        EXPECT_EQ(got.counts.drawn, inside) << kind.name;
        EXPECT_EQ(got.counts.outside, static_cast<std::int64_t>(points.size()) - inside);
        EXPECT_EQ(got.counts.left_out, n - static_cast<std::int64_t>(points.size()));
        for (int y = 0; y < 33; ++y)
          for (int x = 0; x < 41; ++x) {
            const std::int64_t seen = point_seen(scene, points, x, y);
            for (int channel = 0; channel < 3; ++channel)
              ASSERT_EQ(got.rgb[3 * (y * 41 + x) + channel],
                        seen < 0 ? k_paper >> (16 - 8 * channel) & 0xff : rgb[3 * rows[seen] + channel])
                  << kind.name << " n=" << n << " radius=" << radius << " at " << x << " " << y;
          }
      }
}

TEST(Draw, IsTheSameOnAnyNumberOfThreads) {
  for (const test::CloudKind& kind : test::all_clouds()) {
    const test::Coordinates c = kind.make(20000, 3, 11);
    std::vector<float> values(20000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 997 == 0 ? NAN : c[3 * i + 1];
    const PointsView view(3, std::span<const float>(c));
    std::array<Color, k_colors> map;
    for (int i = 0; i < k_colors; ++i) map[i] = static_cast<Color>(i * 0x010307);
    const PointColors colors{.values = values.data(), .map = map.data(), .scale = 100};
    const Sample sample = take_sample(view, colors);
    const Scene scene = make_scene({200, 150}, 2, axes_of({}, 3, sample, k_drawn), sample);
    const Drawing one = draw_whole(view, colors, scene, 1);
    for (int threads = 2; threads <= 8; ++threads) {
      const Drawing many = draw_whole(view, colors, scene, threads);
      EXPECT_TRUE(one.rgb == many.rgb) << kind.name << " " << threads;
      EXPECT_EQ(one.counts.drawn, many.counts.drawn);
      EXPECT_EQ(one.counts.outside, many.counts.outside);
      EXPECT_EQ(one.counts.left_out, many.counts.left_out);
    }
  }
}

}  // namespace
}  // namespace kann::picture
