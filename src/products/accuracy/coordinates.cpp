#include "products/accuracy/coordinates.hpp"

#include <algorithm>
#include <limits>

namespace kann::accuracy {

Extent::Extent() {
  lo.fill(std::numeric_limits<double>::infinity());
  hi.fill(-std::numeric_limits<double>::infinity());
}

Extent Extent::scaled(double factor) const {
  Extent out = *this;
  for (int a = 0; a < 3; ++a) {
    out.lo[a] *= factor;
    out.hi[a] *= factor;
  }
  return out;
}

Extent measure(const PointsView& points) {
  Extent e;
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

Extent joined(const Extent& a, const Extent& b) {
  Extent both;
  for (int i = 0; i < 3; ++i) {
    both.lo[i] = std::min(a.lo[i], b.lo[i]);
    both.hi[i] = std::max(a.hi[i], b.hi[i]);
  }
  both.is_float32 = a.is_float32 && b.is_float32;
  both.valid = a.valid + b.valid;
  return both;
}

double width(const Extent& extent, int dimensions) {
  double widest = 0;
  for (int a = 0; a < dimensions; ++a) widest = std::max(widest, extent.hi[a] - extent.lo[a]);
  return widest;
}

double choose_scale(const Extent& both, int dimensions) {
  const double widest = width(both, dimensions);
  if (!(widest > 0)) return 1;
  double largest = 0;
  for (int a = 0; a < dimensions; ++a) largest = std::max({largest, std::abs(both.lo[a]), std::abs(both.hi[a])});
  const int side = std::isfinite(widest) ? std::ilogb(widest) : std::numeric_limits<double>::max_exponent;
  return std::ldexp(1.0, std::min({509 - side, 1022 - std::ilogb(largest), 1000}));
}

}  // namespace kann::accuracy
