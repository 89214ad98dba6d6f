#include "search/expected.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kann::fuzz {
namespace {

using Limits = std::numeric_limits<float>;

bool is_finite(const double* p, int d) {
  return std::all_of(p, p + d, [](double c) { return std::isfinite(c); });
}

double sq_distance(const double* p, const double* q, int d) {
  const double x = p[0] - q[0], y = p[1] - q[1];
  const double in_plane = std::fma(y, y, x * x);
  return d == 2 ? in_plane : std::fma(p[2] - q[2], p[2] - q[2], in_plane);
}

bool is_within(double radius, const double* p, const double* q, int d) {
  const int exponent = radius < std::ldexp(1.0, -400) ? 600 : 0;
  const double zero[3] = {};
  double scaled[3];
  for (int a = 0; a < d; ++a) scaled[a] = std::ldexp(p[a] - q[a], exponent);
  const double r = std::ldexp(radius, exponent);
  return sq_distance(scaled, zero, d) <= r * r;
}

/// The float32 nearest to the root, ties to even. The middle of two float32s has 25 bits and its square 50, so that the
/// comparisons have no rounding error in a float of 64 bits.
float root(double sq_dist) {
  const float near = static_cast<float>(std::sqrt(static_cast<long double>(sq_dist)));
  if (near == 0 || std::isinf(near)) return near;
  const auto square_of_middle = [](float a, float b) {
    const long double middle = (static_cast<long double>(a) + b) / 2;
    return middle * middle;
  };
  const float above = std::nextafter(near, Limits::infinity()), below = std::nextafter(near, 0.0f);
  if (!std::isinf(above) && sq_dist > square_of_middle(near, above)) return above;
  if (sq_dist < square_of_middle(below, near)) return below;
  return near;
}

}  // namespace

Neighbors brute_force(const FuzzCloud& data, const FuzzCloud* query_cloud, std::int64_t k, bool include_self,
                      std::optional<double> radius) {
  const FuzzCloud& queries = query_cloud ? *query_cloud : data;
  const int d = data.dimensions;
  Neighbors out{queries.size(), k, {}, {}};
  std::vector<std::pair<double, std::int64_t>> all;
  std::vector<std::pair<float, std::int64_t>> row;
  for (std::int64_t q = 0; q < queries.size(); ++q) {
    all.clear();
    row.clear();
    if (is_finite(queries.point(q), d))
      for (std::int64_t i = 0; i < data.size(); ++i)
        if (is_finite(data.point(i), d) && (query_cloud || include_self || i != q))
          all.emplace_back(sq_distance(queries.point(q), data.point(i), d), i);
    const auto last = all.begin() + std::min<std::int64_t>(k, std::ssize(all));
    std::partial_sort(all.begin(), last, all.end());
    for (auto it = all.begin(); it != last; ++it)
      if (!radius || is_within(*radius, queries.point(q), data.point(it->second), d))
        row.emplace_back(root(it->first), it->second);
    std::sort(row.begin(), row.end());
    row.resize(static_cast<std::size_t>(k), {Limits::infinity(), k_missing_id});
    for (const auto& [distance, id] : row) {
      out.ids.push_back(static_cast<std::int32_t>(id));
      out.distances.push_back(distance);
    }
  }
  return out;
}

}  // namespace kann::fuzz
