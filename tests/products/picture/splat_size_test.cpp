// Splats close the surfaces that they are measured on, and are no larger than that takes.
#include "products/picture/splat_size.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "clouds.hpp"
#include "products/picture/camera.hpp"
#include "products/picture/take_sample.hpp"

namespace kann::picture {
namespace {

constexpr Canvas k_splatted{400, 300};

/// The diameter for n points, uniform in a square of 800 × 800 pixels.
double diameter_of(std::int64_t n, int unit) {
  const test::Coordinates c = test::uniform(n, 2, 13);
  static const std::uint8_t color[3] = {};
  const Sample sample = take_sample(PointsView(2, std::span<const float>(c)), {.colors = color});
  const Scene scene = make_scene({800 + 16 * unit, 800 + 16 * unit}, unit, axes_of({}, 2, sample, k_splatted), sample);
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

}  // namespace
}  // namespace kann::picture
