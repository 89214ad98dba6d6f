// The shape of one neighbourhood.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "geometry/symmetric_eigen.hpp"

namespace kann::neighborhoods {

struct Shape {
  std::array<double, 3> values{};  ///< eigenvalues of the covariance, descending, in units of 4^−exponent
  geometry::Vector3 normal{};      ///< a unit vector
  bool has_normal = false;         ///< whether the points determine it
  int exponent = 0;                ///< coordinates were multiplied by 2^exponent
};

/// Points in float64 by their differences from a place nearby, so that the offset of a cloud takes no digits.
class Neighborhood {
 public:
  void clear() { points_.clear(); }
  void add(const geometry::Vector3& difference) { points_.push_back(difference); }
  std::size_t size() const { return points_.size(); }

  /// The points are centred: call it once. There must be one.
  Shape shape() {
    Shape out;
    out.exponent = center();
    const geometry::SymmetricEigen eigen = geometry::eigen_of(covariance());
    out.values = eigen.values;
    out.normal = eigen.least;
    constexpr double least_gap = 0x1p-44;  // 2⁸ times what rounding makes of equal ones
    out.has_normal = out.values[1] - out.values[2] > least_gap * out.values[0];
    return out;
  }

 private:
  double count() const { return static_cast<double>(points_.size()); }

  /// Subtracts the first point, which makes points at one place exact, and then the mean. Brings coordinates whose
  /// fourth powers float64 might not hold near 1, and returns by which power of two.
  int center() {
    const geometry::Vector3 first = points_.front();
    geometry::Vector3 mean{};
    for (geometry::Vector3& p : points_)
      for (std::size_t i = 0; i < 3; ++i) mean[i] += p[i] -= first[i];
    for (double& m : mean) m /= count();
    double largest = 0;
    for (geometry::Vector3& p : points_)
      for (std::size_t i = 0; i < 3; ++i) {
        p[i] -= mean[i];
        largest = std::max(largest, std::abs(p[i]));
      }
    constexpr double plain = 0x1p100;
    if (largest == 0 || (largest > 1 / plain && largest < plain)) return 0;
    const int exponent = -std::ilogb(largest);
    // In two steps, since float64 does not hold the power of two that scales its smallest numbers
    const double half = std::ldexp(1.0, exponent / 2), rest = std::ldexp(1.0, exponent - exponent / 2);
    for (geometry::Vector3& p : points_)
      for (double& x : p) x = x * half * rest;
    return exponent;
  }

  geometry::Symmetric3 covariance() const {
    geometry::Symmetric3 sum;
    for (const auto& [x, y, z] : points_) {
      sum.xx += x * x;
      sum.xy += x * y;
      sum.xz += x * z;
      sum.yy += y * y;
      sum.yz += y * z;
      sum.zz += z * z;
    }
    for (double* const s : {&sum.xx, &sum.xy, &sum.xz, &sum.yy, &sum.yz, &sum.zz}) *s /= count();
    return sum;
  }

  std::vector<geometry::Vector3> points_;
};

}  // namespace kann::neighborhoods
