#include "kann/sky.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <span>
#include <utility>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/left_out.hpp"
#include "base/threads/parallel.hpp"
#include "problem/sky.hpp"

namespace kann {
namespace {

constexpr double k_degree = std::numbers::pi / 180;  // in radians

constexpr std::array<std::pair<std::string_view, AngleUnit>, 5> k_units = {{{"arcsec", AngleUnit::arcsec},
                                                                            {"arcmin", AngleUnit::arcmin},
                                                                            {"deg", AngleUnit::deg},
                                                                            {"m", AngleUnit::m},
                                                                            {"km", AngleUnit::km}}};

/// How many of a unit a radian is.
double per_radian(AngleUnit unit) {
  switch (unit) {
    case AngleUnit::arcsec:
      return 3600 / k_degree;
    case AngleUnit::arcmin:
      return 60 / k_degree;
    case AngleUnit::deg:
      return 1 / k_degree;
    case AngleUnit::m:
      return k_earth_radius;
    case AngleUnit::km:
      return k_earth_radius / 1000;
  }
  return 1;
}

/// Sine and cosine of an angle in degrees. What remains of it beside a multiple of 90° is exact.
std::pair<double, double> sine_and_cosine(double degrees) {
  int quarters = 0;
  const double rest = std::remquo(degrees, 90.0, &quarters) * k_degree;
  const double sine = std::sin(rest), cosine = std::cos(rest);
  switch (quarters & 3) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace

std::optional<AngleUnit> angle_unit(std::string_view name) {
  const auto found = std::ranges::find(k_units, name, &std::pair<std::string_view, AngleUnit>::first);
  return found == k_units.end() ? std::nullopt : std::optional(found->second);
}

std::string_view name_of(AngleUnit unit) {
  return std::ranges::find(k_units, unit, &std::pair<std::string_view, AngleUnit>::second)->first;
}

void problem::check_angles(int dimensions, const std::string& name) {
  if (dimensions != 2)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: points have {} coordinates; --sky takes two, longitude and latitude: choose them with "
                            "--columns",
                            name, dimensions));
}

void problem::put_on_sphere(const PointsView& points, std::int64_t first, const std::string& name, int threads,
                            std::span<double> out) {
  const std::int64_t n = points.size();
  std::atomic<std::int64_t> first_wrong{n};
  constexpr std::int64_t grain = 1 << 14;
  base::parallel_chunks(n, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const double longitude = points.at(i, 0), latitude = points.at(i, 1);
      double* const at = out.data() + 3 * i;
      if (!std::isfinite(longitude) || !std::isfinite(latitude)) {
        std::fill_n(at, 3, base::is_left_out(longitude) ? longitude : std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      if (std::abs(latitude) > 90)
        for (std::int64_t before = first_wrong; i < before && !first_wrong.compare_exchange_weak(before, i);) {
        }
      const auto [sine_l, cosine_l] = sine_and_cosine(longitude);
      const auto [sine_b, cosine_b] = sine_and_cosine(latitude);
      at[0] = cosine_b * cosine_l;
      at[1] = cosine_b * sine_l;
      at[2] = sine_b;
    }
  });
  if (first_wrong == n) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: point {} has the latitude {}, which is not within -90 and 90 degrees; --sky takes "
                          "longitude (ra) first, then latitude (dec)",
                          name, first + first_wrong, points.at(first_wrong, 1)));
}

std::optional<std::string> angle_warning(const PointsView& points, const std::string& name) {
  constexpr std::int64_t sampled = 4096;
  constexpr double pi = std::numbers::pi;
  std::array<double, 2> least, most;
  least.fill(std::numeric_limits<double>::infinity());
  most.fill(-std::numeric_limits<double>::infinity());
  for (std::int64_t i = 0; i < std::min(points.size(), sampled); ++i)
    for (int a = 0; a < 2; ++a)
      if (const double angle = points.at(i * points.size() / std::min(points.size(), sampled), a);
          std::isfinite(angle)) {
        least[a] = std::min(least[a], angle);
        most[a] = std::max(most[a], angle);
      }
  const double width = most[0] - least[0], height = most[1] - least[1];
  const bool may_be_hours = least[0] >= 0 && most[0] <= 24 && width > 6 && height > 2 * width;
  const bool may_be_radians =
      least[0] >= -pi && most[0] <= 2 * pi && std::max(-least[1], most[1]) <= pi / 2 && width > pi && height > pi / 2;
  if (!may_be_hours && !may_be_radians) return std::nullopt;
  return fmt::format("{}: longitudes from {:.3g} to {:.3g} look like {}, and --sky takes degrees", name, least[0],
                     most[0], may_be_hours ? "hours" : "radians");
}

Points on_sphere(const PointsView& points, const std::string& name, int threads) {
  problem::check_angles(points.dimensions, name);
  const auto count = static_cast<std::size_t>(points.size()) * 3;
  base::check_host_memory(static_cast<double>(count) * sizeof(double), "the points on the sphere");
  Array<double> made(count);
  problem::put_on_sphere(points, 0, name, base::thread_count(threads), made);
  return {3, std::move(made)};
}

double sphere_distance(double sq_dist, AngleUnit unit) {
  return 2 * std::asin(std::min(1.0, std::sqrt(sq_dist) / 2)) * per_radian(unit);
}

double chord(double distance, AngleUnit unit) {
  const double angle = distance / per_radian(unit);
  return angle < std::numbers::pi ? 2 * std::sin(angle / 2) : 3;
}

}  // namespace kann
