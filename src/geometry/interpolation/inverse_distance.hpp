// The mean of values weighted by 1 / d² (Shepard 1968).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace kann::interpolation {

/// Takes the values of one query's neighbours, in float64. Weights are relative to the weight of the nearest neighbour,
/// so that none overflows, and a weight becomes 0 only where float64 does not hold it beside that one. If there are
/// neighbours at d = 0, all others are left out; if all are infinitely far, they count the same.
/// Example: values 3 and 8 at differences (1, 0, 0) and (0, 2, 0) weigh 1 and 1/4; their mean is 4.
class InverseDistanceMean {
 public:
  using Difference = std::array<double, 3>;  ///< from the query, per axis; 0 for a missing axis

  void clear() {
    neighbors_.clear();
    least_ = k_infinity;
    is_plain_ = true;
  }

  void add(double value, const Difference& d) {
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    least_ = square < least_ ? square : least_;
    is_plain_ &= square >= k_least_square && square <= k_largest_square;
    neighbors_.push_back({value, square, d});
  }

  /// The weighted mean; NaN if there are no values.
  double mean() const {
    if (is_plain_) return mean_by([this](const Neighbor& n) { return least_ / n.square; });
    return scaled_mean();
  }

 private:
  static constexpr double k_infinity = std::numeric_limits<double>::infinity();

  /// Between these bounds, squares have all their digits, and so has the quotient of two. Only clouds in odd units
  /// exceed them.
  static constexpr double k_least_square = 1e-280, k_largest_square = 1e280;

  struct Neighbor {
    double value, square;
    Difference difference;

    /// The largest difference, whatever its sign; infinite where one is not finite.
    double reach() const {
      double largest = 0;
      for (const double d : difference) largest = std::max(largest, std::isfinite(d) ? std::abs(d) : k_infinity);
      return largest;
    }
  };

  /// The mean where squares would overflow or be 0: differences are scaled by the power of two that brings the nearest
  /// near 1.
  double scaled_mean() const {
    double nearest = k_infinity;
    for (const Neighbor& n : neighbors_) nearest = std::min(nearest, n.reach());
    if (nearest == 0 || nearest == k_infinity)
      return mean_by([&](const Neighbor& n) { return n.reach() == nearest ? 1.0 : 0.0; });
    // In two steps, since float64 does not hold the power of two that scales its smallest numbers
    const int exponent = -std::ilogb(nearest);
    const double half = std::ldexp(1.0, exponent / 2), rest = std::ldexp(1.0, exponent - exponent / 2);
    return mean_by([&](const Neighbor& n) {
      if (n.reach() == k_infinity) return 0.0;
      double square = 0;
      for (const double d : n.difference) square += (d * half * rest) * (d * half * rest);
      return 1 / square;
    });
  }

  double mean_by(auto weight_of) const {
    double weights = 0, sum = 0;
    for (const Neighbor& neighbor : neighbors_) {
      const double weight = weight_of(neighbor);
      weights += weight;
      sum += weight * neighbor.value;
    }
    return weights == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / weights;
  }

  std::vector<Neighbor> neighbors_;
  double least_ = k_infinity;  ///< the smallest squared distance
  bool is_plain_ = true;       ///< whether all squares are between the two bounds above
};

}  // namespace kann::interpolation
