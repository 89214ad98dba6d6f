// Guesses the distance to the last neighbour of a query from that of the query before it.
#pragma once

#include <cmath>
#include <cstdint>

#include "cpu/vector/placed_points.hpp"

namespace kann::cpu {

template <int D>
class BoundGuess {
 public:
  /// @param size ≥ 1, the number of neighbours in a list
  explicit BoundGuess(std::int64_t size) : surplus_(1 + 1.15f / std::sqrt(static_cast<float>(size))) {}

  /// A squared distance that the last neighbours of queries [begin, begin + count) hardly exceed if the query before is
  /// near them; −1: no guess. Where the density is even, the number of points within a distance varies by about its
  /// root.
  float of(const PlacedView<D>& queries, std::int64_t begin, std::int64_t count) const {
    if (!(before_ > 0x1p-100f && before_ < 0x1p100f)) return -1;
    for (std::int64_t i = begin; i < begin + count; ++i) {
      float moved = 0;
      for (int a = 0; a < D; ++a) {
        const float x = queries.axes[a][i] - place_before_[a];
        moved += x * x;
      }
      if (!(moved < 4 * before_)) return -1;
    }
    return before_ * surplus_;
  }

  /// Makes query `i`, whose last neighbour has this squared distance, the one that the next guess comes from.
  void remember(const PlacedView<D>& queries, std::int64_t i, float last_sq_dist) {
    before_ = last_sq_dist;
    for (int a = 0; a < D; ++a) place_before_[a] = queries.axes[a][i];
  }

 private:
  float surplus_;
  float before_ = -1;           // the last squared distance of the query before, …
  float place_before_[D] = {};  // … and its place
};

}  // namespace kann::cpu
