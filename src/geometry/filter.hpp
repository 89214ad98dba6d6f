// Bounds on the error of float32 squared distances, with which they filter points for the exact search: a point is left
// out by float32 only where the bound proves that float64 would leave it out, too.
//
// Notation: u = 2⁻²⁴, the relative rounding error of float32; D, the true squared distance of two points as they were
// given; d², sq_distance() of them in float64; f, sq_distance() of them in float32. A relative error of (1 + u)⁵ is
// less than 1 + 5.01u.
//
// float64: a difference has a relative error of 2⁻⁵³, its square two of them; each of at most three roundings of
// products and sums adds one. So d² = D·(1 + e), |e| < 2⁻⁵⁰, where nothing underflows. Where something does, d² is at
// most 2⁻¹⁰⁷⁰ from that; in the frame, whose scale may be large, this is added to s and to d².
//
// float32, of coordinates that are float32s: the same with u, so that f ≤ D·(1 + u)⁵ + 2⁻¹⁴⁸. The last term is for
// underflow: the difference of two float32s never underflows, each of three products and sums is at most 2⁻¹⁵⁰ off.
// If d² ≤ s, then f ≤ s·(1 + 2⁻⁵⁰)·(1 + 5.01u) + 2⁻¹⁴⁸ < s·(1 + 6u) + 2⁻¹⁴⁸.
// If f ≤ g, then D ≤ (g + 2⁻¹⁴⁸)·(1 + u)⁵, since (1 − u)⁻⁵ < 1 + 5.01u, and d² < (g + 2⁻¹⁴⁸)·(1 + 6u).
//
// float32, of coordinates in the frame of a search (problem/frame.hpp), x' = round((x − origin)·scale): scale is a
// power of two, so that (x − origin)·scale is rounded once in float64 and once to float32: by u' = u + 2⁻⁵² of it, or
// by 2⁻¹⁵⁰. Let Q and P be two points in the frame before rounding, r = ‖Q − P‖, and m the largest |coordinate| of Q.
// No coordinate of P exceeds m + r, so each difference is off by at most u'·(2m + r) + 2⁻¹⁴⁹, and ‖Q' − P'‖ by √3 times
// that, less than 3.47u·m + 1.74u·r + 2⁻¹⁴⁸. Computed from the rounded query, m' ≥ m·(1 − u') − 2⁻¹⁵⁰; slack = 4u·m' +
// 2⁻¹⁴⁷ covers the terms without r. As r² = D·scale²: if d² ≤ s, then √f ≤ ((1 + 2u)·√s·scale + slack)·(1 + 3u) + 2⁻⁷⁴;
// if f ≤ g, then √d² ≤ ((√g + 2⁻⁷⁴)·(1 + 3u) + slack)·(1 + 2u) / scale.
// A coordinate past the range of float32 is limited to it. Then f of a query within the range is past 2¹²⁷ or infinite;
// r is, too, and so is the bound. A query past the range has an infinite slack.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "geometry/float_bits.hpp"
#include "geometry/host_device.hpp"

namespace kann::geometry {

/// The smallest float32 that is at least `x` ≥ 0; infinity past the largest.
KANN_HOST_DEVICE float rounded_up(double x) {
#ifdef __CUDA_ARCH__
  return __double2float_ru(x);
#else
  if (!(x <= std::numeric_limits<float>::max())) return std::numeric_limits<float>::infinity();
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) < x ? float_of(bits_of(nearest) + 1) : nearest;
#endif
}

/// The filter where all coordinates are float32s and the frame is that of the input.
struct GivenFilter {
  /// The float32 squared distance of a point is at most this if its exact one is at most `sq_dist`.
  KANN_HOST_DEVICE float above(double sq_dist) const { return rounded_up(sq_dist * (1 + 0x1p-21) + 0x1p-147); }

  /// The exact squared distance of a point is at most this if its float32 one is at most `filter_sq_dist`.
  KANN_HOST_DEVICE double exact_above(float filter_sq_dist) const {
    return (filter_sq_dist + 0x1p-147) * (1 + 0x1p-21);
  }
};

/// The filter of one query where coordinates were rounded in the frame.
class FrameFilter {
 public:
  /// @param largest the largest |coordinate| of the query in the frame
  /// @param unit 1 / scale, a power of two
  KANN_HOST_DEVICE FrameFilter(float largest, double unit)
      : slack_(largest < 0x1p120f ? largest * 0x1p-22 + 0x1p-147 : static_cast<double>(INFINITY)), unit_(unit) {}

  /// As in GivenFilter.
  KANN_HOST_DEVICE float above(double sq_dist) const {
    const double root = (std::sqrt(sq_dist + 0x1p-1069) / unit_ + slack_) * (1 + 0x1p-21) + 0x1p-73;
    return rounded_up(root * root * (1 + 0x1p-50));
  }
  KANN_HOST_DEVICE double exact_above(float filter_sq_dist) const {
    const double root = ((std::sqrt(static_cast<double>(filter_sq_dist)) + 0x1p-73) * (1 + 0x1p-21) + slack_) * unit_;
    return root * root * (1 + 0x1p-21) + 0x1p-1069;
  }

 private:
  double slack_;
  double unit_;
};

/// A float32 squared distance up to which the exact ones are at most `sq_dist` ≥ 0; −1: none is known. Float32 decides
/// nothing between this and filter.above(sq_dist). Not the largest such number, but the zone is not twice as wide as it
/// has to be: what above() adds to the root, this subtracts.
template <class Filter>
KANN_HOST_DEVICE float sure_below(const Filter& filter, double sq_dist, double unit) {
  const float above = filter.above(sq_dist);
  const double low = 2 * (std::sqrt(sq_dist) / unit) - std::sqrt(static_cast<double>(above)) * (1 + 0x1p-20);
  if (!(above < 0x1p127f) || !(low > 0)) return -1;
  const float sure = static_cast<float>(low * low);
  return filter.exact_above(sure) <= sq_dist ? sure : -1;
}

}  // namespace kann::geometry
