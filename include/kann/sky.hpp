// Points on a sphere, such as the sky or the Earth, given by two angles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kann/points.hpp"

namespace kann {

/// The unit of a great-circle distance. Metres and kilometres are those on a sphere with the mean radius of the Earth.
enum class AngleUnit { arcsec, arcmin, deg, m, km };

/// The mean radius R₁ of the Earth in metres, by the International Union of Geodesy and Geophysics.
inline constexpr double k_earth_radius = 6371008.8;

/// The names that angle_unit() takes, for messages.
inline constexpr std::string_view k_angle_units = "arcsec, arcmin, deg, m or km";

/// The unit of that name, if there is one.
std::optional<AngleUnit> angle_unit(std::string_view name);
std::string_view name_of(AngleUnit unit);

/// A warning that longitudes are likely to be hours, or both angles radians, as far as the ranges of 4,096 points tell:
/// hours go from 0 to 24 while latitudes vary more than twice as much. None if they may well be degrees.
std::optional<std::string> angle_warning(const PointsView& points, const std::string& name);

/// The points (cos b · cos l, cos b · sin l, sin b) in float64, of longitudes l and latitudes b (right ascensions and
/// declinations) in degrees. Multiples of 90° become 0 and ±1, and l may be any number. A point that is not finite
/// becomes one that has NaN coordinates. Blocks.
/// @param points 2-D: longitude, then latitude
/// @param name of the points in messages
/// @throws Error bad_input (points are not 2-D, a latitude beyond ±90°), resources (memory).
Points on_sphere(const PointsView& points, const std::string& name, int threads = 0);

/// The great-circle distance of two points whose unit vectors are d apart: 2 · asin(d / 2), by d², in a unit.
double sphere_distance(double sq_dist, AngleUnit unit);

/// The inverse: how far apart unit vectors are that are `distance` apart on the sphere. From half a great circle on, it
/// is 3, which is more than any two of them are apart.
double chord(double distance, AngleUnit unit);

}  // namespace kann
