// From points to pixels: views have z up, and frame what a cloud is, not where one point of it has strayed to; splats
// close surfaces; and the pixels of points are those of a loop over all points for each pixel.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "clouds.hpp"
#include "products/picture/camera.hpp"
#include "products/picture/draw.hpp"
#include "products/picture/sample.hpp"
#include "products/picture/splat_size.hpp"

namespace kann::picture {
namespace {

Sample take_sample(const PointsView& points, const PointColors& colors) {
  Sampler sampler(points.size());
  sampler.add(points, colors);
  return sampler.finish();
}

constexpr Canvas k_canvas{400, 300};

Sample sample_of(const test::Coordinates& c, int d) {
  static const std::uint8_t color[3] = {};
  return take_sample(PointsView(d, std::span<const float>(c)), {.colors = color});
}

using Vector = std::array<double, 3>;

void expect_near(const Vector& got, const Vector& want) {
  for (int a = 0; a < 3; ++a) EXPECT_NEAR(got[a], want[a], 1e-12);
}

TEST(Camera, NamedViewsAreWhatTheyAreCalled) {
  const Axes top = axes_of({View::Kind::top}, 3, {}, k_canvas), front = axes_of({View::Kind::front}, 3, {}, k_canvas),
             iso = axes_of({View::Kind::iso}, 3, {}, k_canvas), flat = axes_of({}, 2, {}, k_canvas);
  expect_near(top.right, {1, 0, 0});
  expect_near(top.up, {0, 1, 0});
  expect_near(front.right, {1, 0, 0});
  expect_near(front.up, {0, 0, 1});
  const double third = 1 / std::sqrt(3.0);
  expect_near(iso.eye, {third, -third, third});
  expect_near(flat.eye, {0, 0, 1});
}

TEST(Camera, AxesAreARightHandedFrameWithZUp) {
  test::Random r(3);
  for (int i = 0; i < 1000; ++i) {
    const double scale = std::pow(10, 600 * r.uniform() - 300);
    View view{View::Kind::direction, {scale * r.normal(), scale * r.normal(), scale * r.normal()}};
    const Axes axes = axes_of(view, 3, {}, k_canvas);
    Vector cross;
    for (int a = 0; a < 3; ++a) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      cross[a] = axes.right[b] * axes.up[c] - axes.right[c] * axes.up[b];
      EXPECT_NEAR(
          axes.eye[a] * std::hypot(view.direction[0] / scale, view.direction[1] / scale, view.direction[2] / scale),
          view.direction[a] / scale, 1e-9);
    }
    expect_near(cross, axes.eye);
    EXPECT_NEAR(std::hypot(axes.right[0], axes.right[1], axes.right[2]), 1, 1e-12);
    EXPECT_EQ(axes.right[2], 0);
    EXPECT_GE(axes.up[2], 0);
  }
  EXPECT_EQ(axes_of({View::Kind::direction, {0, 0, -1}}, 3, {}, k_canvas).up[1], -1);
}

TEST(Camera, FlatCloudsAreSeenMoreFromAbove) {
  test::Random r(4);
  const auto cloud = [&](double height) {
    return test::make_cloud(1000, 3, [&](auto, int a) { return r.uniform() * (a == 2 ? height : 1); });
  };
  EXPECT_GT(axes_of({}, 3, sample_of(cloud(0.05), 3), k_canvas).eye[2], 0.7);
  EXPECT_LT(axes_of({}, 3, sample_of(cloud(1), 3), k_canvas).eye[2], 0.6);
}

TEST(Camera, AutomaticViewsFillTheCanvas) {
  test::Random r(6);
  const test::Coordinates strip = test::make_cloud(1000, 3, [&](auto, int a) {
    return r.uniform() * (a == 0 ? 1 : a == 1 ? 6 : 0.05);
  });
  const Sample sample = sample_of(strip, 3);
  const Axes wide = axes_of({}, 3, sample, {800, 300}), narrow = axes_of({}, 3, sample, {300, 800});
  EXPECT_GT(std::abs(wide.right[1]), 0.8);  // the long axis is across
  EXPECT_LT(std::abs(narrow.right[1]), 0.6);
  EXPECT_NEAR(wide.eye[2], narrow.eye[2], 1e-12);
}

TEST(Camera, CoreLeavesOutFarPoints) {
  EXPECT_EQ(core_of({}).length(), 0);
  EXPECT_EQ(core_of({5}).low, 5);
  test::Random r(5);
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(r.uniform());
  const Interval all = core_of(x);
  EXPECT_EQ(all.low, *std::ranges::min_element(x));
  EXPECT_EQ(all.high, *std::ranges::max_element(x));
  x[300] = 1e6;
  x[700] = -1e9;
  const Interval core = core_of(x);
  EXPECT_GT(core.low, -1e-9);
  EXPECT_LT(core.high, 1);
  EXPECT_GT(core.length(), 0.99);
}

/// The paper is far enough behind any cloud for outlines, and has a depth that there is.
TEST(Camera, PaperIsBehindTheCloud) {
  for (const test::CloudKind& kind : test::all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {1, 2, 1000}) {
        const Sample sample = sample_of(kind.make(n, d, 3), d);
        const Scene scene = make_scene(k_canvas, 1, axes_of({View::Kind::top}, d, sample, k_canvas), sample);
        const Surface& s = scene.surface;
        std::uint32_t farthest = 0;
        for (const auto& p : sample.points) {
          const std::uint32_t depth = scene.projection(p[0], p[1], p[2]).depth;
          if (kind.name != "outlier" && kind.name != "crowded" && kind.name != "duplicates")
            farthest = std::max(farthest, depth);
        }
        EXPECT_LT(s.background, k_no_depth) << kind.name;
        EXPECT_GT(4.0 * s.background - 4.0 * farthest, 0.99 * s.edge_high) << kind.name << " " << n;
      }
}

/// By a plain matrix in long double, from the axes.
TEST(Camera, ProjectsWhereTheAxesSay) {
  for (const test::CloudKind& kind : test::all_clouds()) {
    const test::Coordinates c = kind.make(500, 3, 9);
    const Sample sample = sample_of(c, 3);
    const Axes axes = axes_of({View::Kind::iso}, 3, sample, k_canvas);
    const Canvas canvas{320, 200};
    const Scene scene = make_scene(canvas, 1, axes, sample);
    double least[2] = {1e300, 1e300}, most[2] = {-1e300, -1e300};
    std::int64_t outside = 0;
    long double first[2] = {}, pixels = 0;
    for (std::size_t i = 0; i < 500; ++i) {
      const ScreenPoint p = scene.projection(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
      long double across = 0, up = 0;
      for (int a = 0; a < 3; ++a) {
        const long double x = static_cast<long double>(c[3 * i + a]) - c[a];
        across += x * axes.right[a];
        up += x * axes.up[a];
      }
      if (i == 0) {
        first[0] = p.x;
        first[1] = p.y;
        pixels = std::abs(scene.projection.x_axis[0] / axes.right[0]);
      }
      if (!canvas.has(p)) {
        ++outside;
        continue;
      }
      EXPECT_NEAR(static_cast<double>(p.x - first[0]), static_cast<double>(across * pixels), 1.5) << kind.name;
      EXPECT_NEAR(static_cast<double>(p.y - first[1]), static_cast<double>(-up * pixels), 1.5) << kind.name;
      least[0] = std::min(least[0], p.x / 256.0), most[0] = std::max(most[0], p.x / 256.0);
      least[1] = std::min(least[1], p.y / 256.0), most[1] = std::max(most[1], p.y / 256.0);
    }
    if (kind.name == "outlier" || kind.name == "crowded" || kind.name == "duplicates") {
      EXPECT_LT(outside, kind.name == "outlier" ? 2 : 260) << kind.name;
      continue;
    }
    EXPECT_EQ(outside, 0) << kind.name;
    // Centred, and a margin of 8 on all sides, which one axis fills
    EXPECT_NEAR(least[0] + most[0], 320, 1) << kind.name;
    EXPECT_NEAR(least[1] + most[1], 200, 1) << kind.name;
    EXPECT_GT(std::min(least[0], least[1]), 7.9) << kind.name;
    if (kind.name == "identical") continue;
    EXPECT_LT(std::min(least[0], least[1]), 8.1) << kind.name;
  }
}

/// The diameter for n points, uniform in a square of 800 × 800 pixels.
double diameter_of(std::int64_t n, int unit) {
  const test::Coordinates c = test::uniform(n, 2, 13);
  const Sample sample = sample_of(c, 2);
  const Scene scene = make_scene({800 + 16 * unit, 800 + 16 * unit}, unit, axes_of({}, 2, sample, k_canvas), sample);
  return splat_diameter(scene, sample, unit);
}

TEST(SplatSize, FollowsTheDensityOfPoints) {
  for (const std::int64_t n : {20000, 40000, 80000, 160000, 300000}) {
    const double density = static_cast<double>(n) / (800.0 * 800.0);
    EXPECT_NEAR(diameter_of(n, 4) / (2.6 / std::sqrt(density)), 1, 0.12) << n;
  }
}

TEST(SplatSize, HasLimits) {
  EXPECT_EQ(diameter_of(1, 4), 14);
  EXPECT_EQ(diameter_of(50, 2), 7);
  EXPECT_EQ(diameter_of(8000000, 4), 1);
  EXPECT_GT(diameter_of(1000000, 8), 4);  // visible in large pictures
}

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
        Scene scene = make_scene({41, 33}, 1, axes_of({}, d, sample, k_canvas), sample);
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
    const Scene scene = make_scene({200, 150}, 2, axes_of({}, 3, sample, k_canvas), sample);
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
