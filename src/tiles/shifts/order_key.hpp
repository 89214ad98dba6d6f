// The order of the data in one shift, of which a tile is a run: by (key, row), whatever the tiles are.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "geometry/morton.hpp"
#include "problem/problem.hpp"

namespace kann::tiles {

struct OrderKey {
  std::uint64_t key = 0;  ///< the leading bits of the shifted code
  std::int64_t row = 0;   ///< in all of the data

  auto operator<=>(const OrderKey&) const = default;
};

/// The key of a point in the frame.
template <int D>
std::uint64_t shift_key(const problem::Problem& p, int shift, const float* point) {
  const std::uint64_t by = geometry::shift_code<D>(geometry::shift_cells<D>(shift, p.shifts));
  return geometry::sort_key<D>(geometry::morton_code<D>(point, p.grid), by, p.bits);
}

/// Where the tiles of one shift begin.
class Splitters {
 public:
  /// `tiles` ≥ 1 runs with about as many points of the sample each. @param sample distinct keys, in any order
  Splitters(std::vector<OrderKey> sample, std::size_t tiles) : first_(tiles) {
    std::ranges::sort(sample);
    for (std::size_t t = 1; t < tiles && !sample.empty(); ++t) first_[t] = sample[sample.size() * t / tiles];
  }

  std::size_t tiles() const { return first_.size(); }
  OrderKey first(std::size_t tile) const { return first_[tile]; }

  /// The tile of a point of the data.
  std::size_t of_point(const OrderKey& point) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_, point) - first_.begin()) - 1;
  }

  /// The tile that a query of this key is searched in: the last that can have a point of a key as small. The number of
  /// points whose keys are at most the query's, its rank, is then no less than the place of the tile's first point and
  /// no more than that after its last.
  std::size_t of_query(std::uint64_t key) const { return of_point({key, std::numeric_limits<std::int64_t>::max()}); }

 private:
  std::vector<OrderKey> first_;  ///< of each tile; that of the first is before all points
};

}  // namespace kann::tiles
