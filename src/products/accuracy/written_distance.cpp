#include "products/accuracy/written_distance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace kann::accuracy {
namespace {

constexpr double k_above_float32 = 0x1.ffffffp127;  // the midpoint between the largest float32 and 2¹²⁸

}  // namespace

Middle measure_middle(const DistinctPoints& points, int dimensions) {
  const std::int64_t n = points.size(), count = std::min<std::int64_t>(n, 4096);
  Middle middle;
  for (int a = 0; a < dimensions && count > 0; ++a) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(points.coordinates[i * n / count * dimensions + a]);
    std::sort(values.begin(), values.end());
    middle.at[a] = values[values.size() / 2];
    middle.spread = std::max(middle.spread, values[values.size() * 99 / 100] - values[values.size() / 100]);
  }
  return middle;
}

// The root in double can be the midpoint of two float32 although the true root is beside it; rounding it again would
// then give the even float32 even if the other one is nearer. The sign of root² − sq_dist, which fma computes exactly,
// says on which side the true root is.
float rounded_root(double sq_dist, double unit) {
  const double root = std::sqrt(sq_dist), written = root * unit;
  if (written >= k_above_float32) {
    const bool below = written == k_above_float32 && std::fma(root, root, -sq_dist) > 0;
    return below ? std::numeric_limits<float>::max() : std::numeric_limits<float>::infinity();
  }
  const auto nearest = static_cast<float>(written);
  // The midpoint between two normal float32 has a 25-bit significand; all other numbers are done here.
  if (written >= std::numeric_limits<float>::min() && (std::bit_cast<std::uint64_t>(written) & 0xfffffff) != 0)
    return nearest;
  if (static_cast<double>(nearest) == written) return nearest;
  const bool is_above = static_cast<double>(nearest) > written;
  const float other = std::nextafter(nearest, is_above ? 0.0f : std::numeric_limits<float>::max());
  // There is no float32 above the largest one; the midpoint above it has been treated already.
  if (other == nearest || (static_cast<double>(nearest) + other) / 2 != written) return nearest;
  const double excess = std::fma(root, root, -sq_dist);
  if (excess == 0) return nearest;
  return excess > 0 ? std::min(nearest, other) : std::max(nearest, other);
}

// The shifted sort computes d² = fma(dz, dz, fma(dy, dy, dx·dx)) in float32, and its float32 root. With u = 2⁻²⁴, half
// an ulp of 1:
// - dx, dy and dz are rounded once, their squares and sums at most three times: d² is the true one times at most
//   (1 ± u)⁵, d times at most (1 ± 2.5u), and its root is rounded: 3.5u, and 4u with the terms of higher order.
// - If some coordinate is not a float32, an origin is subtracted and the result rounded: coordinate x moves by at most
//   u·|x − origin|, a point by √d times that. The origin is near the middle of most data, or 0 if the data are float32.
// - Squares below 2⁻¹²⁶ lose up to 2⁻¹⁵⁰ in each operation, d then up to 2⁻⁷⁴, in a frame whose scale is 1, or in which
//   the clouds are as wide as 1 or wider.
// - A distance below 2⁻¹²⁶ is written with an error of 2⁻¹⁵⁰.
FloatErrors::FloatErrors(const Extent& data, const Extent& queries, const Middle& middle, int dimensions, double scale)
    : dimensions_(dimensions), middle_(middle.at) {
  const double wide = width(joined(data, queries), dimensions);
  const double frame = wide < 0x1p-20 ? wide : std::max(wide, 1.0);
  underflow_ = std::min(frame, std::numeric_limits<double>::max()) * 0x1p-73 * scale + 0x1p-149 * scale;
  if (data.is_float32 && queries.is_float32) return;
  rounding_ = 0x1p-24 * std::sqrt(dimensions);
  from_zero_ = data.is_float32;
  spread_ = 2 * middle.spread;  // twice, as `spread` was measured on a sample
}

double FloatErrors::bound(const double* query, const double* point, double distance) const {
  double moved = 0;
  if (rounding_ > 0) moved = rounding_ * (off_origin(query) + off_origin(point));
  return 0x1p-22 * (distance + moved) + moved + underflow_;
}

/// The longest distance, along any axis, from the point to a place where the origin may be.
double FloatErrors::off_origin(const double* point) const {
  double off = 0;
  for (int a = 0; a < dimensions_; ++a) {
    off = std::max(off, std::abs(point[a] - middle_[a]) + spread_);
    if (from_zero_) off = std::max(off, std::abs(point[a]));
  }
  return off;
}

}  // namespace kann::accuracy
