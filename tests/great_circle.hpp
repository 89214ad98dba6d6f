// Great-circle distances in long double. Shares no code with the library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "kann/points.hpp"
#include "kann/sky.hpp"

namespace kann::test {

inline constexpr long double k_degree = std::numbers::pi_v<long double> / 180;

/// The angle between two points in radians, accurate for all angles (Vincenty 1975, for a sphere).
inline long double angle(const Points& a, std::int64_t i, const Points& b, std::int64_t j) {
  const long double l = (static_cast<long double>(a.at(i, 0)) - b.at(j, 0)) * k_degree;
  const long double p = a.at(i, 1) * k_degree, q = b.at(j, 1) * k_degree;
  const long double x = std::cos(q) * std::sin(l);
  const long double y = std::cos(p) * std::sin(q) - std::sin(p) * std::cos(q) * std::cos(l);
  return std::atan2(std::hypot(x, y), std::sin(p) * std::sin(q) + std::cos(p) * std::cos(q) * std::cos(l));
}

constexpr long double per_radian(AngleUnit unit) {
  switch (unit) {
    case AngleUnit::arcsec:
      return 3600 / k_degree;
    case AngleUnit::arcmin:
      return 60 / k_degree;
    case AngleUnit::deg:
      return 1 / k_degree;
    case AngleUnit::m:
      return 6371008.8L;
    default:
      return 6371.0088L;
  }
}

/// How far a distance may be from the true one: nothing of a float64 below some 1e-15 rad is known.
inline double sky_tolerance(long double distance, AngleUnit unit) {
  return static_cast<double>(distance * 1e-7L + 1e-15L * per_radian(unit));
}

}  // namespace kann::test
