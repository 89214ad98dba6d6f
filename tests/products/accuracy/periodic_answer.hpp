// The exact answer in a periodic box by its definition: all d² in double, sorted.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "exact_answer.hpp"

namespace kann::test {

/// Smallest and largest of the finite points' coordinates along an axis; 0 without any.
inline std::pair<double, double> range_of(const Points& points, int axis) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::pair range{infinity, -infinity};
  for (std::int64_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points, i)) continue;
    range.first = std::min(range.first, points.at(i, axis));
    range.second = std::max(range.second, points.at(i, axis));
  }
  return range.first <= range.second ? range : std::pair{0.0, 0.0};
}

/// Where SearchOptions::periodic has the points; 0 for a third coordinate that there is not.
inline std::vector<std::array<double, 3>> placed(const Points& points, const Points& data,
                                                 const std::vector<double>& sides) {
  std::vector<std::array<double, 3>> out(static_cast<std::size_t>(points.size()));
  for (std::size_t a = 0; a < sides.size(); ++a) {
    const auto [lo, hi] = range_of(data, static_cast<int>(a));
    const double side = sides[a], middle = lo / 2 + hi / 2;
    const bool data_stay = hi - lo <= 1.25 * side && std::abs(lo) <= 2 * side && std::abs(hi) <= 2 * side;
    for (std::int64_t i = 0; i < points.size(); ++i) {
      const double x = points.at(i, static_cast<int>(a)), rest = std::remainder(x, side);
      double& place = out[static_cast<std::size_t>(i)][a];
      if (side > 0 && &points == &data && data_stay && x == hi && lo + side == hi && hi - side == lo)
        place = lo;
      else if (side == 0 || (data_stay && (&points == &data || std::abs(x - middle) <= 0.63 * side)))
        place = x;
      else
        place = data_stay ? std::fma(std::nearbyint((middle - rest) / side), side, rest) : rest;
    }
  }
  return out;
}

/// A point and its copies a side away, 3^d at most.
inline std::vector<std::array<double, 3>> images(const std::array<double, 3>& point, const std::vector<double>& sides) {
  std::vector<std::array<double, 3>> out{point};
  for (std::size_t a = 0; a < sides.size(); ++a)
    for (std::size_t i = 0, count = out.size(); i < count && sides[a] > 0; ++i)
      for (const double step : {-sides[a], sides[a]}) {
        out.push_back(out[i]);
        out.back()[a] += step;
      }
  return out;
}

inline double sq_distance(const std::array<double, 3>& p, const std::array<double, 3>& q) {
  const double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
  return std::fma(z, z, std::fma(y, y, x * x));
}

/// As exact_answer().
inline Neighbors periodic_answer(const Points& data, const Points& queries, const std::vector<double>& sides,
                                 std::int64_t k, bool drop_self = false) {
  const auto points = placed(data, data, sides), at = placed(queries, data, sides);
  Neighbors out{queries.size(), k, {}, {}};
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    const auto copies = images(at[static_cast<std::size_t>(q)], sides);
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::int64_t i = 0; i < data.size() && is_finite(queries, q); ++i) {
      if (!is_finite(data, i) || (drop_self && i == q)) continue;
      double smallest = std::numeric_limits<double>::infinity();
      for (const auto& copy : copies)
        smallest = std::min(smallest, sq_distance(copy, points[static_cast<std::size_t>(i)]));
      all.emplace_back(smallest, static_cast<std::int32_t>(i));
    }
    append_nearest(all, out);
  }
  return out;
}

}  // namespace kann::test
