#include "accuracy/frame.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace kann::accuracy {
namespace {

/// Of the valid points of a cloud.
struct Extent {
  std::int64_t valid = 0;
  std::array<double, 3> lo, hi;
  bool is_float32 = true;  ///< every coordinate is
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

/// The largest |coordinate − centre| × scale, over all axes.
double reach(const Extent& e, int dimensions, const std::array<double, 3>& centre, double scale) {
  double farthest = 0;
  for (int a = 0; a < dimensions && e.valid > 0; ++a)
    farthest = std::max(
        {farthest, std::abs(e.lo[a] * scale - centre[a] * scale), std::abs(e.hi[a] * scale - centre[a] * scale)});
  return farthest;
}

double power_of_two_below(double x) { return std::ldexp(1.0, std::ilogb(x)); }

}  // namespace

// The answer is the k smallest fma(dz, dz, fma(dy, dy, dx·dx)) in float32. With u = 2⁻²⁴, half an ulp of 1:
// - dx, dy and dz are rounded once, their squares and sums three times at most: the computed d² is the true one times
//   at most (1 ± u)⁵, d times at most (1 ± 2.5u). If a is chosen before b, then d(a) ≤ d(b)·(1 + 5u), and a little:
//   6u.
// - Where some coordinate is no float32, the centre of the data's box is subtracted and the rest rounded. With h for
//   half an ulp of the largest centred coordinate, every coordinate moves by at most h, a point by √d·h, and so a
//   distance by 2√d·h: d(a) ≤ d(b) + 4√d·h. (Double's own roundings are 2⁻²⁹ of that.)
// A distance so small that its square vanishes in float32 is not forgiven: neighbours lost to that are lost.
Frame make_frame(const Points& data, const Points& queries) {
  constexpr double u = 0x1p-24;
  const int d = data.dimensions;
  const Extent data_extent = measure(data), query_extent = measure(queries);

  Frame frame;
  frame.valid_data = data_extent.valid;
  const double largest = std::max(reach(data_extent, d, {}, 1), reach(query_extent, d, {}, 1));
  // Below 2⁻¹⁰²² the scale would overflow.
  if (largest > 0) frame.scale = 1 / power_of_two_below(std::max(largest, std::numeric_limits<double>::min()));

  frame.tolerance.relative = 6 * u;
  if (data_extent.valid > 0 && !(data_extent.is_float32 && query_extent.is_float32)) {
    std::array<double, 3> centre{};
    for (int a = 0; a < d; ++a) centre[a] = data_extent.lo[a] / 2 + data_extent.hi[a] / 2;
    const double farthest =
        std::max(reach(data_extent, d, centre, frame.scale), reach(query_extent, d, centre, frame.scale));
    if (farthest > 0) frame.tolerance.absolute = 4 * std::sqrt(d) * power_of_two_below(farthest) * u;
  }
  return frame;
}

}  // namespace kann::accuracy
