// The mean of values weighted by 1 / d² (Shepard 1968).
#pragma once

#include <limits>

namespace kann::interpolation {

/// Takes the values of neighbours in the order of their distances. Weights are (d₀ / d)², with d₀ the distance of the
/// first: squares of distances themselves overflow or are 0 in float64 where distances of float32 do not. Neighbours at
/// d = 0 leave all others out; of those that are infinitely far, all count the same.
class InverseDistanceMean {
 public:
  void add(double value, double distance) {
    if (weights_ == 0) nearest_ = distance;
    if (nearest_ == 0 && distance > 0) return;
    const double ratio = distance == nearest_ ? 1 : nearest_ / distance;
    const double weight = ratio * ratio;
    weights_ += weight;
    sum_ += weight * value;
  }

  /// NaN of no values.
  double mean() const { return weights_ == 0 ? std::numeric_limits<double>::quiet_NaN() : sum_ / weights_; }

 private:
  double nearest_ = 0, weights_ = 0, sum_ = 0;
};

}  // namespace kann::interpolation
