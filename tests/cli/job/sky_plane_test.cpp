// A field of the sky as a plane: whole, with the lengths of the sphere, and in an angle that suits it.
#include "cli/job/sky_plane.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <vector>

namespace kann::cli {
namespace {

struct Laid {
  std::vector<double> at;
  AngleUnit unit;
};

Laid laid_out(const std::vector<double>& degrees, AngleUnit asked = AngleUnit::deg) {
  const PointsView points{2, std::span<const double>(degrees)};
  const SkyPlane plane([&](const auto& sink) { sink(points); }, asked);
  const Array<double> at = plane(points);
  return {{at.begin(), at.end()}, plane.unit()};
}

TEST(SkyPlane, AFieldAcrossTheMeridianIsWhole) {
  for (const double turn : {-360.0, 0.0, 360.0})
    for (const double middle : {0.0, 180.0, 90.0, 359.0}) {
      const auto wrapped = [&](double degrees) { return std::fmod(degrees + 720, 360) + turn; };
      const Laid got = laid_out({wrapped(middle - 4), -1, wrapped(middle), 1, wrapped(middle + 5), 0});
      EXPECT_EQ(got.unit, AngleUnit::deg);
      EXPECT_NEAR(got.at[2] - got.at[0], 4, 1e-3) << middle;
      EXPECT_NEAR(got.at[4] - got.at[2], 5, 1e-3) << middle;
    }
  const Laid wide = laid_out({260, 0, 359, 0, 1, 0, 60, 0});  // a gap of 200 degrees
  EXPECT_NEAR(wide.at[6] - wide.at[0], 160, 1e-9);
}

TEST(SkyPlane, AWholeSkyEndsWhereItsLongitudesDo) {
  for (const double first : {0.0, -180.0})
    for (const double latitude : {60.0, 89.0}) {
      std::vector<double> sky;
      for (int i = 0; i < 360; i += 5) sky.insert(sky.end(), {first + i, latitude});
      const Laid got = laid_out(sky);
      const double degree = (got.at[1] / latitude) * std::cos(latitude * M_PI / 180);
      for (std::size_t i = 0; i < sky.size(); i += 2) EXPECT_NEAR(got.at[i], sky[i] * degree, 1e-8);
    }
}

/// Against the great-circle distance by the haversine formula.
TEST(SkyPlane, LengthsAreThoseOfTheSphere) {
  for (const double latitude : {0.0, 45.0, -80.0})
    for (const auto& [unit, asked, per_degree, extent] : {std::tuple{AngleUnit::arcsec, AngleUnit::deg, 3600.0, .002},
                                                          {AngleUnit::arcmin, AngleUnit::arcsec, 60.0, .5},
                                                          {AngleUnit::deg, AngleUnit::arcsec, 1.0, 5.0},
                                                          {AngleUnit::km, AngleUnit::km, 6371.0088 * M_PI / 180, .5},
                                                          {AngleUnit::m, AngleUnit::m, 6371008.8 * M_PI / 180, .002}}) {
      const Laid got =
          laid_out({10, latitude - extent / 2, 10, latitude + extent / 2, 10, latitude, 10.001, latitude}, asked);
      EXPECT_EQ(got.unit, unit);
      EXPECT_NEAR(got.at[3] - got.at[1], extent * per_degree, 1e-6 * per_degree);
      const double radians = M_PI / 180, half = std::sin(.001 * radians / 2) * std::cos(latitude * radians);
      EXPECT_NEAR(got.at[6] - got.at[4], 2 * std::asin(half) / radians * per_degree, 1e-6 * per_degree);
    }
}

TEST(SkyPlane, TakesNothingAndWhatIsNoPlace) {
  EXPECT_TRUE(laid_out({}).at.empty());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Laid got = laid_out({nan, 1, 350, 2, 10, nan, 10, 3});
  EXPECT_TRUE(std::isnan(got.at[0]));
  EXPECT_LT(got.at[2], got.at[6]);
}

}  // namespace
}  // namespace kann::cli
