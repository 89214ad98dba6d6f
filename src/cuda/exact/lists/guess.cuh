// A guess at the distance of the last neighbour of a query, made by one thread or by all lanes of a warp.
#pragma once

#include <cmath>

#include "cuda/runtime/names.hpp"
#include "geometry/distance.hpp"

namespace kann::cuda::exact {

/// Where the density is even, the number of points within a distance varies by about the root of that number. For
/// queries in the order of the curve, on the clouds uniform and surface with k = 64, the last guess holds too few
/// points for 2 % of them, and guesses hold 1.15 to 1.23 times as many points as needed. Bounds that are proven, by a
/// window of 6·k points, hold twice as many (docs/experiments.md).
class Guess {
 public:
  __device__ __forceinline__ explicit Guess(int size) : size_(size), surplus_(1 + 1.15f * rsqrtf(size)) {}

  /// Makes a guess for the query at `given` from the answer for the query before, if that query is near.
  template <class Real>
  __device__ __forceinline__ void begin(const Real (&given)[3]) {
    left_ = 0;
    if (before_ < 0) return;
    const float moved = sqrtf(sq_distance_3d(static_cast<float>(given[0]) - x_, static_cast<float>(given[1]) - y_,
                                             static_cast<float>(given[2]) - z_));
    // The neighbours of the query before, or that query itself in the place of this one, are within the sum
    if (moved < k_far * before_) set(fminf(before_ * sqrtf(surplus_), (before_ + moved) * (1 + 0x1p-20f)));
  }
  __device__ __forceinline__ void set(float radius) {
    radius_ = radius;
    left_ = k_guesses;
  }
  __device__ __forceinline__ bool is_left() const { return left_ > 0; }
  __device__ __forceinline__ float radius() const { return radius_; }

  /// Guesses again after the last guess has held only `count` points.
  __device__ __forceinline__ void grow(int count) {
    radius_ *= sqrtf(fmaxf(surplus_ * static_cast<float>(size_) / static_cast<float>(max(count, size_ / 8 + 1)), 1.1f));
    --left_;
  }

  /// Tells the guess what the right answer for the query was, or that there is none of use: a `radius` less than 0.
  template <class Real>
  __device__ __forceinline__ void end(const Real (&given)[3], float radius) {
    x_ = static_cast<float>(given[0]);
    y_ = static_cast<float>(given[1]);
    z_ = static_cast<float>(given[2]);
    before_ = radius;
  }

 private:
  static constexpr float k_far = 3;  // in radii
  static constexpr int k_guesses = 4;

  int size_, left_ = 0;
  float surplus_, radius_ = 0;
  float before_ = -1, x_ = 0, y_ = 0, z_ = 0;
};

}  // namespace kann::cuda::exact
