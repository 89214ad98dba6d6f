// The mean of values weighted by 1 / d² (Shepard 1968).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace kann::interpolation {

/// Takes the values of one query's neighbours, in float64. Coordinates are scaled by the power of two that brings the
/// nearest neighbour to a distance of about 1, so that no weight overflows, and those become 0 alone that float64 does
/// not hold beside the largest: the squares of differences themselves overflow past 10¹⁵⁴ and are 0 below 10⁻¹⁶².
/// Neighbours at d = 0 leave all others out; of those that are infinitely far, all count the same.
/// Example: values 3 and 8 at differences (1, 0, 0) and (0, 2, 0) weigh 1 and 1/4; their mean is 4.
class InverseDistanceMean {
 public:
  using Difference = std::array<double, 3>;  ///< from the query, per axis; 0 where there is none

  void clear() {
    neighbors_.clear();
    nearest_ = std::numeric_limits<double>::infinity();
  }

  void add(double value, const Difference& difference) {
    double reach = 0;
    for (const double d : difference) reach = std::max(reach, std::isfinite(d) ? std::abs(d) : k_infinity);
    nearest_ = std::min(nearest_, reach);
    neighbors_.push_back({value, reach, difference});
  }

  /// NaN of no values.
  double mean() const {
    if (nearest_ == 0 || nearest_ == k_infinity)
      return mean_by([this](const Neighbor& n) { return n.reach == nearest_ ? 1.0 : 0.0; });
    // In two steps, since float64 does not hold the power of two that scales its smallest numbers
    const int exponent = -std::ilogb(nearest_);
    const double half = std::ldexp(1.0, exponent / 2), rest = std::ldexp(1.0, exponent - exponent / 2);
    return mean_by([&](const Neighbor& n) {
      if (n.reach == k_infinity) return 0.0;
      const double x = n.difference[0] * half * rest, y = n.difference[1] * half * rest,
                   z = n.difference[2] * half * rest;
      return 1 / (x * x + y * y + z * z);
    });
  }

 private:
  static constexpr double k_infinity = std::numeric_limits<double>::infinity();

  struct Neighbor {
    double value, reach;  ///< the largest difference, whatever its sign
    Difference difference;
  };

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
  double nearest_ = k_infinity;
};

}  // namespace kann::interpolation
