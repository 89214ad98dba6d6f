// The list of a query of a shifted sort in tiles, which goes on with it from shift to shift.
#pragma once

#include <cstdint>
#include <span>

namespace kann::tiles {

/// The nearest points that a query has seen, by (squared distance in the frame, row). Missing ones have an infinite
/// distance and row −1, and come last.
struct NearestSeen {
  std::span<float> sq_dists;
  std::span<std::int64_t> rows;

  void clear() const;

  /// Inserts a point that may be in the list already. Most are too far.
  void insert(float sq_dist, std::int64_t row) const {
    if (!sq_dists.empty() && sq_dist <= sq_dists.back()) insert_near(sq_dist, row);
  }

 private:
  void insert_near(float sq_dist, std::int64_t row) const;
};

}  // namespace kann::tiles
