// Lays longitudes and latitudes out in a plane, for pictures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/sky.hpp"

namespace kann::cli {

/// A field on a sphere as a plane. Longitudes are shortened to what they are at its middle latitude. A field of less
/// than about half a turn is whole, also where the longitude goes from 360° to 0°; others end where the longitudes do.
class SkyPlane {
 public:
  /// @param for_each passes all points in degrees to the function that it is given, in blocks
  /// @param asked of distances. Lengths are the unit of the plane, too; of angles, it is the one that suits the field
  SkyPlane(const auto& for_each, AngleUnit asked) : unit_(asked) {
    double count = 0, x = 0, y = 0, z = 0, cosines = 0;  // sums of unit vectors and of cosines of latitudes
    for_each([&](const PointsView& points) {
      const Points on = on_sphere(points, "queries");
      for (std::int64_t i = 0; i < on.size(); ++i) {
        if (std::isnan(on.at(i, 0))) continue;
        x += on.at(i, 0), y += on.at(i, 1), z += on.at(i, 2);
        cosines += std::hypot(on.at(i, 0), on.at(i, 1));
        ++count;
      }
    });
    // The mean of unit vectors is the shorter the farther they are from each other
    const double length = std::min(1.0, std::hypot(x, y, z) / count), spread = std::sqrt(2 - 2 * length) / k_degree;
    if (count > 0) cosine_ = cosines / count;
    is_field_ = std::hypot(x, y) > 0.5 * cosines;
    if (is_field_) middle_ = std::atan2(y, x) / k_degree;
    if (asked != AngleUnit::m && asked != AngleUnit::km)
      unit_ = spread > 1 ? AngleUnit::deg : spread > 1 / 60.0 ? AngleUnit::arcmin : AngleUnit::arcsec;
    scale_ = sphere_distance(2 - 2 * std::cos(k_degree), unit_);
  }

  AngleUnit unit() const { return unit_; }

  /// Points in degrees, in the plane and its unit.
  Array<double> operator()(const PointsView& points) const {
    Array<double> out(static_cast<std::size_t>(2 * points.size()));
    for (std::int64_t i = 0; i < points.size(); ++i) {
      const double longitude = points.at(i, 0) - middle_, latitude = points.at(i, 1);
      out[static_cast<std::size_t>(2 * i)] =
          scale_ * cosine_ * (is_field_ ? std::remainder(longitude, 360) : longitude);
      out[static_cast<std::size_t>(2 * i + 1)] = scale_ * latitude;
    }
    return out;
  }

 private:
  static constexpr double k_degree = std::numbers::pi / 180;

  bool is_field_ = false;
  double middle_ = 0, cosine_ = 1, scale_ = 1;
  AngleUnit unit_;
};

}  // namespace kann::cli
