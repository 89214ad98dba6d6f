#include "accuracy/tolerance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace kann::accuracy {
namespace {

/// The valid points of a cloud: their number, box and precision.
struct Extent {
  std::int64_t valid = 0;
  std::array<double, 3> lo, hi;
  bool is_float32 = true;  ///< every coordinate is a float32
};

Extent measure(const Points& points) {
  Extent e;
  e.lo.fill(std::numeric_limits<double>::infinity());
  e.hi.fill(-std::numeric_limits<double>::infinity());
  const int d = points.dimensions;
  const auto is_finite = [](double x) { return std::isfinite(x); };
  const auto fits_float32 = [](double x) {
    return std::abs(x) <= std::numeric_limits<float>::max() && static_cast<double>(static_cast<float>(x)) == x;
  };
  std::visit(
      [&](const auto& c) {
        for (auto p = c.begin(); p != c.end(); p += d) {
          if (!std::all_of(p, p + d, is_finite)) continue;
          ++e.valid;
          e.is_float32 = e.is_float32 && std::all_of(p, p + d, fits_float32);
          for (int a = 0; a < d; ++a) {
            e.lo[a] = std::min<double>(e.lo[a], p[a]);
            e.hi[a] = std::max<double>(e.hi[a], p[a]);
          }
        }
      },
      points.coordinates);
  return e;
}

/// The largest |coordinate|, over all axes.
double max_magnitude(const Extent& e, int dimensions) {
  double largest = 0;
  for (int a = 0; a < dimensions && e.valid > 0; ++a)
    largest = std::max({largest, std::abs(e.lo[a]), std::abs(e.hi[a])});
  return largest;
}

/// Sets `middle` to the median of each axis and `spread` to the largest distance from the 5th to the 95th percentile of
/// an axis, over some 1,000 points.
void measure_middle(const Points& data, double scale, Tolerance& tolerance) {
  const std::int64_t n = data.size(), step = std::max<std::int64_t>(1, n / 1000);
  for (int a = 0; a < data.dimensions; ++a) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < n; i += step)
      if (std::isfinite(data.at(i, a))) values.push_back(data.at(i, a) * scale);
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    tolerance.middle[a] = values[values.size() / 2];
    tolerance.spread = std::max(tolerance.spread, values[values.size() * 95 / 100] - values[values.size() * 5 / 100]);
  }
}

double power_of_two_below(double x) { return x > 0 ? std::ldexp(1.0, std::ilogb(x)) : 0; }

}  // namespace

// The answer is the k smallest fma(dz, dz, fma(dy, dy, dx·dx)) in float32. With u = 2⁻²⁴, half an ulp of 1:
// - dx, dy and dz are rounded once, their squares and sums at most three times: the computed d² is the true one times
//   at most (1 ± u)⁵, and d times at most (1 ± 2.5u). If a is chosen before b, then d(a) ≤ d(b)·(1 + 5u), up to terms
//   of higher order: 6u covers them.
// - If some coordinate is not a float32, an origin near the middle of the data is subtracted and the result rounded.
//   Let h be half an ulp of the largest such result among the points compared. Each coordinate moves by at most h, a
//   point by √d·h, a distance by 2√d·h: d(a) ≤ d(b) + 4√d·h. (The roundings of double are 2⁻²⁹ of that.) This part of
//   the limit is computed per query, since coordinates far from the middle are rounded more coarsely.
// A distance whose square underflows in float32 is not tolerated: neighbours lost by that count as wrong.
double Tolerance::sq_limit(const double* query, double sq_dist, int dimensions) const {
  const double distance = std::sqrt(sq_dist);
  double limit = distance * (1 + relative);
  if (rounding > 0) {
    double off_middle = 0;
    for (int a = 0; a < dimensions; ++a) off_middle = std::max(off_middle, std::abs(query[a] - middle[a]));
    limit += rounding * power_of_two_below(off_middle + distance + spread);
  }
  return limit * limit;
}

JudgeScale make_judge_scale(const Points& data, const Points& queries) {
  constexpr double u = 0x1p-24;
  const int d = data.dimensions;
  const Extent data_extent = measure(data), query_extent = measure(queries);

  JudgeScale scale;
  scale.valid_data = data_extent.valid;
  const double largest = std::max(max_magnitude(data_extent, d), max_magnitude(query_extent, d));
  // At less than 2⁻¹⁰²² the scale would overflow.
  if (largest > 0) scale.scale = 1 / power_of_two_below(std::max(largest, std::numeric_limits<double>::min()));

  scale.tolerance.relative = 6 * u;
  if (!(data_extent.is_float32 && query_extent.is_float32)) {
    scale.tolerance.rounding = 4 * std::sqrt(d) * u;
    measure_middle(data, scale.scale, scale.tolerance);
  }
  return scale;
}

}  // namespace kann::accuracy
