// Pictures of a device are those of the CPU, byte for byte.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "kann/render.hpp"

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/thinned_out.hpp"

namespace kann {
namespace {

class CudaPicture : public test::GpuTest {};
class CudaPictureLarge : public test::GpuTest {};

void expect_same(const RenderResult& got, const RenderResult& want, const std::string& what) {
  EXPECT_EQ(got.drawn, want.drawn) << what;
  EXPECT_EQ(got.outside, want.outside) << what;
  EXPECT_EQ(got.left_out, want.left_out) << what;
  ASSERT_EQ(got.image.rgb.size(), want.image.rgb.size()) << what;
  for (std::size_t i = 0; i < want.image.rgb.size(); ++i)
    ASSERT_EQ(got.image.rgb[i], want.image.rgb[i])
        << what << " at " << i / 3 % want.image.width << " " << i / 3 / want.image.width;
}

/// By values and in own colours.
void expect_cpu_bytes(const PointsView& points, RenderOptions options, const std::string& what) {
  if (test::thinned_out()) return;
  const auto n = static_cast<std::size_t>(points.size());
  std::vector<float> values(n);
  std::vector<std::uint8_t> colors(3 * n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(points.at(static_cast<std::int64_t>(i), 0));
  for (std::size_t i = 0; i < n; i += 97) values[i] = i % 2 ? NAN : std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < colors.size(); ++i) colors[i] = static_cast<std::uint8_t>(i * 37 % 251);
  RenderOptions on_device = options, chosen = options;
  options.device = {DeviceKind::cpu, 0};
  on_device.device = {DeviceKind::cuda, 0};
  const RenderResult want = render(points, values, options);
  expect_same(render(points, values, on_device), want, what);
  expect_same(render(points, values, chosen), want, what + " by the device that has started");
  expect_same(render_rgb(points, colors, on_device), render_rgb(points, colors, options), what + " in own colours");
}

RenderOptions sized(int width, int height) {
  RenderOptions options;
  options.width = width;
  options.height = height;
  options.label = "x (m)";
  return options;
}

TEST_F(CudaPicture, HasTheBytesOfTheCpu) {
  for (const test::CloudKind& kind : test::all_clouds())
    for (const int d : {2, 3})
      for (const std::int64_t n : {0, 1, 2, 255, 256, 257, 5000}) {
        test::Coordinates c = kind.make(n, d, 21);
        if (n > 200) c[static_cast<std::size_t>(100 * d)] = NAN;
        expect_cpu_bytes({d, std::span<const float>(c)}, sized(201, 160), kind.name + " n=" + std::to_string(n));
      }
}

TEST_F(CudaPicture, HasTheBytesOfTheCpuInFloat64) {
  test::Random r(22);
  std::vector<double> c;
  for (int i = 0; i < 9000; ++i)
    c.push_back((i % 3 == 0 ? 500000 : i % 3 == 1 ? 5200000 : 1000) + 100 * r.uniform() * (i % 3 == 2 ? 0.1 : 1));
  expect_cpu_bytes({3, std::span<const double>(c)}, sized(300, 200), "map coordinates");
  for (double& x : c) x = (2 * r.uniform() - 1) * 1.79e308;
  expect_cpu_bytes({3, std::span<const double>(c)}, sized(300, 200), "the end of float64");
  expect_cpu_bytes({2, std::span<const double>(c)}, sized(300, 200), "the end of float64, 2-D");
}

TEST_F(CudaPicture, HasTheBytesOfTheCpuInAllViewsAndSizes) {
  const test::Coordinates c = test::surface(3000, 3, 23);
  using Kind = View::Kind;
  for (const View& view : {View{Kind::top}, View{Kind::front}, View{Kind::iso}, View{Kind::direction, {1, 2, -3}}})
    for (const auto& [width, height] : {std::pair{16, 16}, {16, 700}, {700, 16}, {641, 479}}) {
      RenderOptions options = sized(width, height);
      options.view = view;
      expect_cpu_bytes({3, std::span<const float>(c)}, options, std::to_string(width));
    }
}

TEST_F(CudaPictureLarge, HasTheBytesOfTheCpu) {
  for (const test::CloudKind& kind : test::all_clouds()) {
    const test::Coordinates c = kind.make(1000000, 3, 24);
    expect_cpu_bytes({3, std::span<const float>(c)}, sized(1600, 1200), kind.name);
  }
}

}  // namespace
}  // namespace kann
